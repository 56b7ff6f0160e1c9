import type { PushTransport } from '../transport/push-transport.js';
import { FcmHttp2Transport } from './fcm-http2.transport.js';
import type { FcmSettings } from './fcm-settings.js';

/** Opens a transport to one project of Firebase. */
export type OpenFcm = (settings: FcmSettings) => PushTransport;

/** The driver of this name. A library is loaded only for who has chosen it: it costs each process memory. */
export async function fcmDriver(name: 'http2' | 'firebase-admin'): Promise<OpenFcm> {
  if (name === 'http2') return (settings) => new FcmHttp2Transport(settings);
  const { FirebaseAdminTransport } = await import('./firebase-admin.transport.js');
  return (settings) => new FirebaseAdminTransport(settings);
}
