import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { PushContent } from '../transport/push-transport.js';
import { androidOptions, androidPriority, fcmBody, fcmData } from './fcm-payload.rules.js';

const notificationId = '7b9d4f0e-4f0c-4c50-9a3e-0b8f2f1f0c11';
const recipient = {
  userId: 7,
  realmId: 3,
  realmName: 'Café “Nord”',
  realmUrl: 'https://nord.chat.example.org',
  server: 'chat.example.org',
};

const base = {
  server: 'chat.example.org',
  realm_id: '3',
  realm_uri: 'https://nord.chat.example.org',
  realm_url: 'https://nord.chat.example.org',
  realm_name: 'Café “Nord”',
  user_id: '7',
  notification_id: notificationId,
};

const message: PushContent & { kind: 'message' } = {
  kind: 'message',
  trigger: { kind: 'group_mention', group: { id: 12, name: 'cooks' } },
  message: {
    id: 41,
    sentAt: 1_700_000_000,
    text: 'Soup?',
    sender: {
      id: 5,
      email: 'bob@example.org',
      fullName: 'Bob Fischer',
      avatarUrl: 'https://avatars.example/5',
    },
    place: { kind: 'channel', channelId: 4, channelName: 'general', topic: 'lunch' },
  },
};

const dataOf = (content: PushContent) => fcmData({ notificationId, recipient, content });

describe(fcmData.name, () => {
  it('has the data of a test notification, all of it as text', () => {
    expect(dataOf({ kind: 'test', time: 1_700_000_000 })).toEqual({
      ...base,
      event: 'test',
      time: '1700000000',
    });
  });

  it('has the data of a channel message', () => {
    expect(dataOf(message)).toEqual({
      ...base,
      event: 'message',
      sender_id: '5',
      sender_email: 'bob@example.org',
      mentioned_user_group_id: '12',
      mentioned_user_group_name: 'cooks',
      recipient_type: 'stream',
      stream: 'general',
      stream_id: '4',
      topic: 'lunch',
      zulip_message_id: '41',
      time: '1700000000',
      content: 'Soup?',
      sender_full_name: 'Bob Fischer',
      sender_avatar_url: 'https://avatars.example/5',
    });
  });

  it.each([
    [2, {}],
    [3, { pm_users: '5,6,7' }],
  ])('lists the participants of a conversation of %i', (count, expected) => {
    const people = Array.from({ length: count }, (_, index) => ({
      id: index + 5,
      fullName: 'Somebody',
    }));
    const place = { kind: 'direct', people } as const;
    const data = dataOf({ ...message, message: { ...message.message, place } });
    expect(data).toMatchObject({ recipient_type: 'private', ...expected });
    expect('pm_users' in data).toBe(count > 2);
    expect(data).not.toHaveProperty('stream_id');
  });

  it('has the data of a removal', () => {
    expect(dataOf({ kind: 'remove', messageIds: [9, 41] })).toEqual({
      ...base,
      event: 'remove',
      zulip_message_ids: '9,41',
    });
  });

  it("never exceeds Google's limit", () => {
    const text = fc.string({
      unit: fc.constantFrom('x', '🍲', '"', '\u0001'),
      minLength: 100,
      maxLength: 200,
    });
    fc.assert(
      fc.property(text, text, (said, name) => {
        const sender = { ...message.message.sender, fullName: name.slice(0, 100) };
        const data = dataOf({ ...message, message: { ...message.message, text: said, sender } });
        expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThanOrEqual(4096);
        expect(data['content']).not.toBe('');
      }),
    );
  });
});

describe(androidPriority.name, () => {
  it('is high for alerts, and normal for removals', () => {
    expect(androidPriority({ content: { kind: 'test', time: 1 } })).toBe('high');
    expect(androidPriority({ content: message })).toBe('high');
    expect(androidPriority({ content: { kind: 'remove', messageIds: [1] } })).toBe('normal');
  });
});

const now = 1_700_000_000_000;

describe(androidOptions.name, () => {
  it.each([
    [3_600_999, 3600],
    [999, 0],
    [-5000, 0],
  ])('for an expiry in %d ms has a time to live of %d s', (inMs, ttlSeconds) => {
    const push = { content: message, expiresAt: now + inMs };
    expect(androidOptions(push, false, now)).toEqual({
      priority: 'high',
      ttlSeconds,
      isForConstrainedNetworks: false,
    });
  });

  it('uses constrained networks for messages only, and only where permitted', () => {
    const removal = { kind: 'remove', messageIds: [1] } as const;
    const usesThem = (content: PushContent) =>
      androidOptions({ content, expiresAt: now }, true, now).isForConstrainedNetworks;
    expect([usesThem(message), usesThem(removal)]).toEqual([true, false]);
  });
});

describe(fcmBody.name, () => {
  const options = { priority: 'high', ttlSeconds: 60, isForConstrainedNetworks: false } as const;
  const push = { token: 'fGx:"APA"' };

  it('is a message of HTTP v1 around data that is already JSON', () => {
    expect(JSON.parse(fcmBody(push, '{"event":"test"}', options))).toEqual({
      message: {
        token: 'fGx:"APA"',
        data: { event: 'test' },
        android: { priority: 'high', ttl: '60s' },
      },
    });
  });

  it('permits constrained networks', () => {
    const body = fcmBody(push, '{}', { ...options, isForConstrainedNetworks: true });
    expect(JSON.parse(body)).toMatchObject({
      message: { android: { ttl: '60s', bandwidth_constrained_ok: true } },
    });
  });
});
