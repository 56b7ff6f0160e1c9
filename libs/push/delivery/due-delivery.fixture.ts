import type { DueDelivery } from './delivery-claim.repository.js';

/** When the delivery below was claimed. */
export const READ_AT = 1_700_000_000_000;

/** A claimed test notification for an iPhone. */
export const due: DueDelivery = {
  kind: 'due',
  notificationId: '7b9d4f0e-4f0c-4c50-9a3e-0b8f2f1f0c11',
  deviceId: 7,
  platform: 'apns',
  attempts: 0,
  mayBeShown: false,
  sequence: 1,
  token: 'ABCDEF',
  appId: 'org.example.chat',
  environment: null,
  fcmTarget: null,
  wantsBadge: false,
  encryption: null,
  subscription: null,
  userId: 3,
  keyGeneration: 1,
  realm: { id: 5, name: 'Realm', subdomain: '' },
  content: { kind: 'test', time: 1 },
  acceptedAt: READ_AT - 1000,
  traceParent: null,
  databaseNow: READ_AT,
  claimStartedAt: 0,
};
