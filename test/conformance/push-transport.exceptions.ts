import type { Row } from './push-transport.cases.js';
import type { DriverName } from './push-transport.drivers.js';

/** `no`: the row fails. `slow`: the row fails, but too slowly to run it. */
export type Exception = 'no' | 'slow' | 'does not apply';

const onlyApple = {
  'uses the provider token that all workers share': 'does not apply',
  'signs in with a certificate': 'does not apply',
  'signs in with a certificate in the tunnel of a proxy': 'does not apply',
  'does not send without a valid topic': 'does not apply',
  'has the id of a push in the development environment': 'does not apply',
  'tells iOS not to draw attention to a push': 'does not apply',
  'shows a reminder in the place of what it reminds of': 'does not apply',
} as const;

const onlyGoogle = {
  'shows a push to an installation id': 'does not apply',
  'names an installation id as such': 'does not apply',
  'reports a dead installation id': 'does not apply',
  'tells a refusal of the token from one of the message': 'does not apply',
  'has the answer that comes after the deadline': 'does not apply',
  'reports a rejected service account': 'does not apply',
  'takes a broken token endpoint for no answer': 'does not apply',
} as const;

/** The rows that a driver fails; it passes all others. Shown in docs/transports.md. */
export const exceptions: Readonly<Record<DriverName, Partial<Record<Row, Exception>>>> = {
  ApnsHttp2Transport: onlyGoogle,
  FcmHttp2Transport: onlyApple,
  NodeApnTransport: {
    ...onlyGoogle,
    'uses the provider token that all workers share': 'no',
    'replaces a dead connection in under ten seconds, long before the deadline': 'slow',
    'tells a request that was sent from one that was not': 'no',
    'settles as accepted as soon as the status has arrived': 'no',
    'repeats unprocessed pushes once': 'no',
    'repeats a push with a refused stream once': 'no',
    'sends 20,000 pushes through few connections': 'slow',
  },
  FirebaseAdminTransport: {
    ...onlyApple,
    // The field came with a version for later releases of Node; Google takes the id as a token too.
    'names an installation id as such': 'no',
    'replaces a dead connection in under ten seconds, long before the deadline': 'slow',
    'settles as accepted as soon as the status has arrived': 'no',
    'sends 20,000 pushes through few connections': 'slow',
    // This driver speaks HTTP/1.1: one connection for each push in flight, without streams.
    'repeats unprocessed pushes once': 'does not apply',
    'repeats a push with a refused stream once': 'does not apply',
    "never exceeds the provider's limit of streams": 'does not apply',
    'follows a lower limit of streams': 'does not apply',
  },
};
