import type { ApnsSettings } from './apns/apns-credential.js';
import { ApnsHttp2Transport } from './apns/apns-http2.transport.js';
import type { FcmSettings } from './fcm/fcm-credential.js';
import { FcmHttp2Transport } from './fcm/fcm-http2.transport.js';
import type { PushTransport } from './transport/push-transport.js';

/** Opens a transport to one environment of Apple. Throws for an invalid certificate or key. */
type OpenApns = (settings: ApnsSettings) => PushTransport;

/** Opens a transport to one project of Firebase. */
type OpenFcm = (settings: FcmSettings) => PushTransport;

/** The driver for Apple. A library is loaded only if its driver is chosen: it costs each process memory. */
export async function apnsDriver(name: 'http2' | 'node-apn'): Promise<OpenApns> {
  if (name === 'http2') return (settings) => new ApnsHttp2Transport(settings);
  const { NodeApnTransport } = await import('./apns/node-apn.transport.js');
  return (settings) => new NodeApnTransport(settings);
}

/** The driver for Google; loads its library in the same way. */
export async function fcmDriver(name: 'http2' | 'firebase-admin'): Promise<OpenFcm> {
  if (name === 'http2') return (settings) => new FcmHttp2Transport(settings);
  const { FirebaseAdminTransport } = await import('./fcm/firebase-admin.transport.js');
  return (settings) => new FirebaseAdminTransport(settings);
}
