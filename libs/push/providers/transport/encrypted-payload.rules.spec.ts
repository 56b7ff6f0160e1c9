import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { encryptPayload, makePushKey } from '#push/encryption';
import { encryptedApnsPayload } from '../apns/apns-payload.rules.js';
import { encryptedFcmData } from '../fcm/fcm-payload.rules.js';
import { plainLimit, plainPayload } from './encrypted-payload.rules.js';
import { removalPages } from './message-fields.rules.js';
import type { NotifiedMessage, PushContent } from './push-transport.js';

const MAX_KEY_ID = 2 ** 32 - 1;
const recipient = {
  userId: 10,
  realmId: 1,
  realmName: 'Example',
  realmUrl: 'https://chat.example.org',
  server: 'chat.example.org',
};
const envelope = { platform: 'apns', keyId: 20 } as const;
const channel: NotifiedMessage = {
  id: 31,
  sentAt: 1_796_083_200,
  text: 'Hello',
  sender: { id: 11, email: 'iago@example.org', fullName: 'Iago', avatarUrl: 'https://a/avatar/11' },
  place: { kind: 'channel', channelId: 3, channelName: 'general', topic: 'lunch' },
};

const read = (content: PushContent, more: Partial<typeof recipient> = {}) =>
  JSON.parse(plainPayload({ ...recipient, ...more }, content, envelope)) as Record<string, unknown>;
const message = (changes: Partial<NotifiedMessage> = {}): PushContent => ({
  kind: 'message',
  trigger: { kind: 'channel' },
  message: { ...channel, ...changes },
});
const base = { realm_url: 'https://chat.example.org', realm_name: 'Example', user_id: 10 };
const people = (ids: readonly number[]) => ids.map((id) => ({ id, fullName: `Person ${id}` }));

describe(plainLimit.name, () => {
  it.each([
    ['apns', 2933],
    ['fcm', 2996],
  ] as const)('leaves space for %s', (platform, bytes) => {
    expect(plainLimit({ platform, keyId: MAX_KEY_ID })).toBe(bytes);
  });
});

describe(plainPayload.name, () => {
  it('has the members of a message of a channel', () => {
    expect(read(message())).toEqual({
      type: 'message',
      ...base,
      message_id: 31,
      sender_id: 11,
      sender_full_name: 'Iago',
      sender_avatar_url: 'https://a/avatar/11',
      time: 1_796_083_200,
      recipient_type: 'channel',
      channel_id: 3,
      channel_name: 'general',
      topic: 'lunch',
      content: 'Hello',
    });
  });

  it('has the participants of a direct message', () => {
    expect(
      read(message({ place: { kind: 'direct', people: people([12, 10, 11]) } })),
    ).toMatchObject({ recipient_type: 'direct', recipient_user_ids: [10, 11, 12] });
  });

  it('has only receiver and sender of a large conversation', () => {
    const ids = Array.from({ length: 400 }, (_, index) => 100_000 + index);
    expect(read(message({ place: { kind: 'direct', people: people(ids) } }))).toMatchObject({
      recipient_user_ids: [10, 11],
    });
  });

  it('names a mentioned group', () => {
    const trigger = { kind: 'group_mention', group: { id: 5, name: 'cooks' } } as const;
    expect(read({ ...message(), trigger } as PushContent)).toMatchObject({
      mentioned_user_group_id: 5,
      mentioned_user_group_name: 'cooks',
    });
  });

  it('has the members of a removal and of a test', () => {
    expect(read({ kind: 'remove', messageIds: [32, 31] })).toEqual({
      type: 'remove',
      ...base,
      message_ids: [31, 32],
    });
    expect(read({ kind: 'test', time: 5 })).toEqual({ type: 'test', ...base, time: 5 });
  });

  it('names the notification to Android alone', () => {
    const notificationId = '7b9d4f0e-4f0c-4c50-9a3e-0b8f2f1f0c11';
    const idOf = (platform: 'apns' | 'fcm') => {
      const plain = plainPayload(recipient, message(), { ...envelope, platform, notificationId });
      return (JSON.parse(plain) as Record<string, unknown>)['notification_id'];
    };
    expect([idOf('apns'), idOf('fcm')]).toEqual([undefined, notificationId]);
  });

  it('cuts names after 100 characters', () => {
    const long = '𝒂'.repeat(150);
    const cut = `${'𝒂'.repeat(100)}…`;
    const place = { kind: 'channel', channelId: 3, channelName: long, topic: long } as const;
    expect(read(message({ place }), { realmName: long })).toMatchObject({
      realm_name: cut,
      channel_name: cut,
      topic: cut,
      content: 'Hello',
    });
  });

  it('always fits into the limit of the providers when it is encrypted', () => {
    const key = makePushKey();
    const text = fc.string({ unit: 'binary', maxLength: 200 });
    const removals = [1, 1e9, Number.MAX_SAFE_INTEGER - 400].flatMap((first) =>
      removalPages(Array.from({ length: 400 }, (_, index) => first + index)).map(
        (messageIds): PushContent => ({ kind: 'remove', messageIds }),
      ),
    );
    fc.assert(
      fc.property(
        fc.constantFrom('apns', 'fcm'),
        fc.record({ text, realmName: text, name: text, topic: text, fullName: text }),
        fc.nat({ max: 300 }),
        (platform, texts, participants) => {
          const contents: PushContent[] = [
            message({
              text: texts.text,
              sender: { ...channel.sender, fullName: texts.fullName },
              place: {
                kind: 'channel',
                channelId: 3,
                channelName: texts.name,
                topic: texts.topic,
              },
            }),
            message({
              text: texts.text,
              place: {
                kind: 'direct',
                people: people(Array.from({ length: participants }, (_, id) => 1e9 + id)),
              },
            }),
            ...removals,
          ];
          for (const content of contents) {
            const of = { platform, keyId: MAX_KEY_ID, notificationId: randomUUID() } as const;
            const plain = plainPayload({ ...recipient, realmName: texts.realmName }, content, of);
            const encrypted = {
              kind: 'encrypted',
              isSilent: content.kind === 'remove',
              keyId: MAX_KEY_ID,
              data: encryptPayload(key, plain),
            } as const;
            const body =
              platform === 'apns' ? encryptedApnsPayload(encrypted) : encryptedFcmData(encrypted);
            expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(4096);
          }
        },
      ),
    );
  });
});
