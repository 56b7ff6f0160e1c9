import type { Row } from './push-transport.cases.js';
import type { DriverName } from './push-transport.drivers.js';

/** `no`: it fails. `slow`: the same, and it takes too long to watch it fail. */
export type Exception = 'no' | 'slow' | 'does not apply';

const onlyApple = {
  'sends with the provider token that all workers share': 'does not apply',
  'signs in with a certificate': 'does not apply',
  'does not send without a topic, nor with one that is none': 'does not apply',
} as const;

const onlyGoogle = { 'tells that its service account is refused': 'does not apply' } as const;

/** The rows that a driver does not pass; it passes all others. Shown in docs/transports.md. */
export const exceptions: Readonly<Record<DriverName, Partial<Record<Row, Exception>>>> = {
  ApnsHttp2Transport: onlyGoogle,
  FcmHttp2Transport: onlyApple,
  NodeApnTransport: {
    ...onlyGoogle,
    'sends with the provider token that all workers share': 'no',
    'replaces a dead connection in under ten seconds, long before the deadline': 'slow',
    'takes a push for accepted as soon as the provider says so': 'no',
    'sends again what the provider says it has not processed, once': 'no',
    'sends again, once, a push whose stream was refused': 'no',
    'sends 20,000 pushes through few connections': 'slow',
  },
  FirebaseAdminTransport: {
    ...onlyApple,
    'replaces a dead connection in under ten seconds, long before the deadline': 'slow',
    'takes a push for accepted as soon as the provider says so': 'no',
    'sends 20,000 pushes through few connections': 'slow',
    // It speaks HTTP/1.1: a connection for each push under way, and no streams.
    'sends again what the provider says it has not processed, once': 'does not apply',
    'sends again, once, a push whose stream was refused': 'does not apply',
    'never has more under way than the provider allows': 'does not apply',
    'follows a provider that allows fewer than before': 'does not apply',
  },
};
