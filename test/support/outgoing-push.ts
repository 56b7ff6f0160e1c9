import { randomUUID } from 'node:crypto';
import type { OutgoingPush } from '#push/providers';
import { DEMO_APP_ID } from './push-tokens.js';

/** A test notification to a device of the demo app, with an unknown APNs environment. */
export const pushTo = (token: string, changes: Partial<OutgoingPush> = {}): OutgoingPush => ({
  notificationId: randomUUID(),
  deliveryId: randomUUID(),
  token,
  appId: DEMO_APP_ID,
  environment: null,
  expiresAt: Date.now() + 3_600_000,
  recipient: {
    userId: 7,
    realmId: 1,
    realmName: 'Carillon Demo',
    realmUrl: 'https://chat.example.org',
    server: 'chat.example.org',
  },
  content: { kind: 'test', time: 1_700_000_000 },
  isWithdrawn: () => false,
  ...changes,
});
