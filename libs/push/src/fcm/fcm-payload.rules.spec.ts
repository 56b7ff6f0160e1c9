import { describe, expect, it } from '@jest/globals';
import type { OutgoingPush } from '../transport/push-transport.js';
import { fcmData } from './fcm-payload.rules.js';

const push: OutgoingPush = {
  notificationId: '7b9d4f0e-4f0c-4c50-9a3e-0b8f2f1f0c11',
  deliveryId: '7b9d4f0e-4f0c-8c50-9a3e-0b8f2f1f0c11',
  token: 'fGx:APA91b',
  appId: null,
  expiresAt: 1_700_003_600_000,
  recipient: {
    userId: 7,
    realmId: 3,
    realmName: 'Café “Nord”',
    realmUrl: 'https://nord.chat.example.org',
    server: 'chat.example.org',
  },
  content: { kind: 'test', time: 1_700_000_000 },
  isWithdrawn: () => false,
};

describe(fcmData.name, () => {
  it('says what a test notification says, all of it as text', () => {
    expect(fcmData(push)).toEqual({
      server: 'chat.example.org',
      realm_id: '3',
      realm_uri: 'https://nord.chat.example.org',
      realm_url: 'https://nord.chat.example.org',
      realm_name: 'Café “Nord”',
      user_id: '7',
      event: 'test',
      time: '1700000000',
      notification_id: '7b9d4f0e-4f0c-4c50-9a3e-0b8f2f1f0c11',
    });
  });
});
