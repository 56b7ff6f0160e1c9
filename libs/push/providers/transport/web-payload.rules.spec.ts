import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { NotifiedMessage, PushContent, WebPushTarget } from './push-transport.js';
import { MAX_WEB_PAYLOAD_BYTES, webPushPayload } from './web-payload.rules.js';

const notificationId = '7b9d4f0e-4f0c-7c50-9a3e-0b8f2f1f0c11';
const recipient = {
  userId: 3,
  realmId: 5,
  realmName: 'Realm',
  realmUrl: 'https://chat.example',
  server: 'chat.example',
};
const message: NotifiedMessage = {
  id: 9,
  sentAt: 1_700_000_000,
  text: 'Hello',
  sender: { id: 4, email: 'a@chat.example', fullName: 'Ann', avatarUrl: 'https://chat.example/a' },
  place: { kind: 'channel', channelId: 2, channelName: 'general', topic: 'lunch' },
};
const target = (readMessageIds: readonly number[]): WebPushTarget => ({
  kind: 'browser',
  p256dh: Buffer.alloc(65),
  auth: Buffer.alloc(16),
  vapidKeyId: 1,
  readMessageIds,
  failingSince: null,
  goneSince: null,
  refusedCount: 0,
});

const textOf = (content: PushContent, read: readonly number[] = [], limit?: number) =>
  webPushPayload({ notificationId, recipient, content, web: target(read) }, limit);
const payloadOf = (content: PushContent, read: readonly number[] = []): unknown =>
  JSON.parse(textOf(content, read));
const ofMessage = (one: NotifiedMessage): PushContent => ({
  kind: 'message',
  trigger: { kind: 'channel' },
  message: one,
});

describe(webPushPayload.name, () => {
  it('has the members of an encrypted payload, and the id of the notification', () => {
    expect(payloadOf(ofMessage(message))).toEqual({
      type: 'message',
      realm_url: 'https://chat.example',
      realm_name: 'Realm',
      user_id: 3,
      notification_id: notificationId,
      message_id: 9,
      sender_id: 4,
      sender_full_name: 'Ann',
      sender_avatar_url: 'https://chat.example/a',
      time: 1_700_000_000,
      recipient_type: 'channel',
      channel_id: 2,
      channel_name: 'general',
      topic: 'lunch',
      content: 'Hello',
    });
    expect(payloadOf({ kind: 'test', time: 8 })).toMatchObject({ type: 'test', time: 8 });
    expect(payloadOf({ kind: 'remove', messageIds: [2, 1] })).toMatchObject({
      type: 'remove',
      message_ids: [1, 2],
    });
  });

  it('asks for a confirmation and says nothing else', () => {
    const content = { kind: 'confirm', subscriptionId: 7, token: 'abc' } as const;
    const text = webPushPayload({ notificationId, recipient, content });
    expect(JSON.parse(text)).toEqual({
      type: 'confirm',
      subscription_id: 7,
      confirmation_token: 'abc',
    });
  });

  it('names the newest fifty read messages in ascending order', () => {
    const ids = Array.from({ length: 60 }, (_, index) => index + 1);
    const expected = { read_message_ids: ids.slice(10) };
    expect(payloadOf(ofMessage(message), ids.toReversed())).toMatchObject(expected);
    expect(payloadOf({ kind: 'test', time: 8 }, ids)).not.toHaveProperty('read_message_ids');
  });

  it('fits every service, whatever the names, and is cut at whole characters', () => {
    const anything = fc.string({ unit: 'binary', maxLength: 300 });
    const place = fc.oneof(
      fc.record({
        kind: fc.constant('channel' as const),
        channelId: fc.nat(),
        channelName: anything,
        topic: anything,
      }),
      fc.record({
        kind: fc.constant('direct' as const),
        people: fc.array(fc.record({ id: fc.nat(), fullName: fc.constant('') }), {
          maxLength: 300,
        }),
      }),
    );
    fc.assert(
      fc.property(
        anything,
        anything,
        place,
        fc.array(fc.nat(2 ** 31), { maxLength: 100 }),
        fc.constantFrom(MAX_WEB_PAYLOAD_BYTES, 1280),
        (text, fullName, where, read, limit) => {
          const one = { ...message, text, place: where, sender: { ...message.sender, fullName } };
          const payload = textOf(ofMessage(one), read, limit);
          expect(Buffer.byteLength(payload)).toBeLessThanOrEqual(limit);
          expect(payload).not.toMatch(/\\ud[89a-f]/i);
        },
      ),
    );
  });
});
