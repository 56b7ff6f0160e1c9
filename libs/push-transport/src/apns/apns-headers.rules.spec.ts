import { describe, expect, it } from '@jest/globals';
import type { OutgoingPush } from '../transport/push-transport.js';
import { apnsHeaders } from './apns-headers.rules.js';

const push: OutgoingPush = {
  notificationId: '7b9d4f0e-4f0c-4c50-9a3e-0b8f2f1f0c11',
  deliveryId: '7b9d4f0e-4f0c-8c50-9a3e-0b8f2f1f0c11',
  token: 'ab',
  appId: 'org.example.chat-beta',
  environment: null,
  expiresAt: 1_700_003_600_999,
  recipient: { userId: 7, realmId: 3, realmName: 'n', realmUrl: 'u', server: 's' },
  content: { kind: 'test', time: 1_700_000_000 },
  isWithdrawn: () => false,
};

describe(apnsHeaders.name, () => {
  it('names the delivery, and lets a repetition take its own place', () => {
    expect(apnsHeaders(push)).toEqual({
      id: push.deliveryId,
      topic: 'org.example.chat-beta',
      pushType: 'alert',
      priority: 10,
      expiration: 1_700_003_600,
      collapseId: push.notificationId,
    });
  });

  it('does not hurry with what shows nothing', () => {
    const removal = { ...push, content: { kind: 'remove' as const, messageIds: [1] } };
    expect(apnsHeaders(removal)).toMatchObject({ pushType: 'background', priority: 5 });
  });

  it('takes a topic of 155 characters, the most that Apple allows', () => {
    const topic = 'c'.repeat(155);
    expect(apnsHeaders({ ...push, appId: topic })).toMatchObject({ topic });
  });

  it.each([
    [null, 'MissingTopic'],
    ['', 'BadTopic'],
    ['org.example\r\nx: y', 'BadTopic'],
    ['org.example\0', 'BadTopic'],
    ['org.exämple', 'BadTopic'],
    ['c'.repeat(156), 'BadTopic'],
  ])('refuses the topic %j', (appId, reason) => {
    expect(apnsHeaders({ ...push, appId })).toBe(reason);
  });
});
