import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { MessageTrigger, NotifiedMessage, PushContent } from '../transport/push-content.js';
import type { Recipient } from '../transport/push-transport.js';
import { apnsPayload, apnsUrgency } from './apns-payload.rules.js';

const recipient: Recipient = {
  userId: 7,
  realmId: 3,
  realmName: 'Café “Nord”',
  realmUrl: 'https://nord.chat.example.org',
  server: 'chat.example.org',
};

const base = {
  realm_uri: 'https://nord.chat.example.org',
  realm_url: 'https://nord.chat.example.org',
  realm_name: 'Café “Nord”',
  user_id: 7,
};

const bob = {
  id: 5,
  email: 'bob@example.org',
  fullName: 'Bob Fischer',
  avatarUrl: 'https://a.example',
};
const inChannel: NotifiedMessage['place'] = {
  kind: 'channel',
  channelId: 4,
  channelName: 'general',
  topic: 'lunch',
};
const among = (...names: string[]): NotifiedMessage['place'] => ({
  kind: 'direct',
  people: names.map((fullName, index) => ({ id: index + 5, fullName })),
});

const message = (
  place: NotifiedMessage['place'],
  trigger: MessageTrigger,
): PushContent & { kind: 'message' } => ({
  kind: 'message',
  trigger,
  message: { id: 41, sentAt: 1_700_000_000, text: 'Soup?', sender: bob, place },
});

const payloadOf = (content: PushContent) => apnsPayload({ recipient, content });

describe(apnsPayload.name, () => {
  it('says what a test notification says', () => {
    expect(payloadOf({ kind: 'test', time: 1_700_000_000 })).toEqual({
      aps: {
        alert: {
          title: 'Test notification',
          body: 'This is a test notification from Café “Nord” (https://nord.chat.example.org).',
        },
        sound: 'default',
      },
      zulip: { server: 'chat.example.org', realm_id: 3, ...base, event: 'test' },
    });
  });

  it('says what a message of a channel says', () => {
    expect(payloadOf(message(inChannel, { kind: 'channel' }))).toEqual({
      aps: {
        alert: { title: '#general > lunch', subtitle: 'Bob Fischer:', body: 'Soup?' },
        sound: 'default',
        badge: 0,
      },
      zulip: {
        ...base,
        sender_id: 5,
        sender_email: 'bob@example.org',
        recipient_type: 'stream',
        stream: 'general',
        stream_id: 4,
        topic: 'lunch',
        message_ids: [41],
      },
    });
  });

  it.each([
    ['mention', 'Bob Fischer mentioned you:'],
    ['wildcard_mention', 'Bob Fischer mentioned everyone:'],
  ] as const)('tells of a %s', (kind, subtitle) => {
    expect(payloadOf(message(inChannel, { kind })).aps.alert?.subtitle).toBe(subtitle);
  });

  it('tells of the mention of a group, and which', () => {
    const group = { id: 12, name: 'cooks' };
    const payload = payloadOf(message(inChannel, { kind: 'group_mention', group }));
    expect(payload.aps.alert?.subtitle).toBe('Bob Fischer mentioned @cooks:');
    expect(payload.zulip).toMatchObject({
      mentioned_user_group_id: 12,
      mentioned_user_group_name: 'cooks',
    });
  });

  it('says of a message between two only who sent it', () => {
    const payload = payloadOf(message(among('Bob Fischer', 'Alice Hart'), { kind: 'direct' }));
    expect(payload.aps.alert).toEqual({ title: 'Bob Fischer', subtitle: '', body: 'Soup?' });
    expect(payload.zulip).toEqual({
      ...base,
      sender_id: 5,
      sender_email: 'bob@example.org',
      recipient_type: 'private',
      message_ids: [41],
    });
  });

  it('names everyone in a conversation of more', () => {
    const people = among('Bob Fischer', 'Alice Hart', 'Cem Kaya');
    const payload = payloadOf(message(people, { kind: 'direct' }));
    expect(payload.aps.alert).toEqual({
      title: 'Alice Hart, Bob Fischer, Cem Kaya',
      subtitle: 'Bob Fischer:',
      body: 'Soup?',
    });
    expect(payload.zulip).toMatchObject({ recipient_type: 'private', pm_users: '5,6,7' });
  });

  it('has messages vanish', () => {
    expect(payloadOf({ kind: 'remove', messageIds: [9, 41] })).toEqual({
      aps: { badge: 0, 'content-available': 1 },
      zulip: { ...base, event: 'remove', zulip_message_ids: '9,41' },
    });
  });

  it('is never larger than Apple takes, and loses no more of the text than it must', () => {
    const character = fc.constantFrom('x', 'é', '🍲', '"', '\n', '\u0001');
    const text = (maxLength: number) => fc.string({ unit: character, maxLength });
    const contents = fc.record({
      text: text(200),
      fullName: text(100),
      channelName: text(60),
      topic: text(60),
      email: fc.string({ maxLength: 250 }),
      people: fc.nat(1000),
    });
    fc.assert(
      fc.property(contents, ({ people, channelName, topic, ...said }) => {
        const places = [
          { kind: 'channel', channelId: 2 ** 31 - 1, channelName, topic } as const,
          among(...Array.from({ length: people }, () => said.fullName)),
        ];
        for (const place of places) {
          const content = message(place, { kind: 'mention' });
          const sender = { ...bob, fullName: said.fullName, email: said.email };
          const payload = payloadOf({
            ...content,
            message: { ...content.message, text: said.text, sender },
          });
          const bytes = Buffer.byteLength(JSON.stringify(payload));
          const body = payload.aps.alert?.body ?? '';
          expect(bytes).toBeLessThanOrEqual(4096);
          if (body === said.text) continue;
          expect(said.text.startsWith(body.slice(0, -1))).toBe(true);
          expect(bytes).toBeGreaterThan(4096 - 12);
        }
      }),
    );
  });
});

describe(apnsUrgency.name, () => {
  it('wakes a phone for what is shown, and lets what vanishes wait', () => {
    expect(apnsUrgency({ content: { kind: 'test', time: 1 } })).toEqual({
      pushType: 'alert',
      priority: 10,
    });
    expect(apnsUrgency({ content: message(inChannel, { kind: 'channel' }) })).toEqual({
      pushType: 'alert',
      priority: 10,
    });
    expect(apnsUrgency({ content: { kind: 'remove', messageIds: [1] } })).toEqual({
      pushType: 'background',
      priority: 5,
    });
  });
});
