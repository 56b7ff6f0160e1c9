import type { PushTransport } from '../transport/push-transport.js';
import type { ApnsSettings } from './apns-credential.js';
import { ApnsHttp2Transport } from './apns-http2.transport.js';

/** Opens a transport to one environment of Apple's. Throws when a certificate or its key is none. */
export type OpenApns = (settings: ApnsSettings) => PushTransport;

/** The driver of this name. A library is loaded only for who has chosen it: it costs each process memory. */
export async function apnsDriver(name: 'http2' | 'node-apn'): Promise<OpenApns> {
  if (name === 'http2') return (settings) => new ApnsHttp2Transport(settings);
  const { NodeApnTransport } = await import('./node-apn.transport.js');
  return (settings) => new NodeApnTransport(settings);
}
