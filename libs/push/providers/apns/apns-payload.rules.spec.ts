import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type {
  MessageTrigger,
  NotifiedMessage,
  OutgoingPush,
  PushContent,
  Recipient,
} from '../transport/push-transport.js';
import { apnsHeaders, apnsPayload, apnsUrgency } from './apns-payload.rules.js';

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
  it('has the payload of a test notification', () => {
    expect(payloadOf({ kind: 'test', time: 1_700_000_000 })).toEqual({
      aps: {
        alert: {
          title: 'Test notification',
          body: 'This is a test notification from Café “Nord” (https://nord.chat.example.org).',
        },
        sound: 'default',
      },
      zulip: { ...base, event: 'test' },
    });
  });

  it('has the payload of a channel message', () => {
    expect(payloadOf(message(inChannel, { kind: 'channel' }))).toEqual({
      aps: {
        alert: { title: '#general > lunch', subtitle: 'Bob Fischer:', body: 'Soup?' },
        sound: 'default',
        badge: 0,
        'thread-id': 'iK0KcsukKDRnBKopvd9X0Q',
        'relevance-score': 0.5,
      },
      zulip: {
        ...base,
        sender_id: 5,
        sender_email: 'bob@example.org',
        recipient_type: 'stream',
        stream: 'general',
        stream_id: 4,
        topic: 'lunch',
        event: 'message',
        message_ids: [41],
      },
    });
  });

  it('has the badge of an app that asks for it, also when a message is removed', () => {
    const content = { ...message(inChannel, { kind: 'channel' }), badge: 12 };
    expect(payloadOf(content).aps).toMatchObject({ badge: 12 });
    const removal = { kind: 'remove', messageIds: [9], badge: 0 } as const;
    expect(payloadOf(removal).aps).toEqual({ 'content-available': 1, badge: 0 });
    // Apple demands of a background push that it changes nothing that people see.
    expect(apnsUrgency({ content: removal })).toEqual({ pushType: 'alert', priority: 5 });
  });

  it('has one thread for each conversation', () => {
    const threadOf = (place: NotifiedMessage['place'], to: Recipient = recipient) =>
      apnsPayload({ recipient: to, content: message(place, { kind: 'channel' }) }).aps['thread-id'];
    const places = [
      inChannel,
      { ...inChannel, topic: 'dinner' },
      { ...inChannel, channelId: 5 },
      among('Bob Fischer', 'Alice Hart'),
      among('Bob Fischer', 'Alice Hart', 'Carol Diaz'),
    ];
    const elsewhere = threadOf(inChannel, { ...recipient, realmUrl: 'https://chat.example.net' });
    expect(new Set([...places.map((place) => threadOf(place)), elsewhere]).size).toBe(6);
    expect(threadOf({ ...inChannel, channelName: 'renamed', topic: 'Lunch' })).toBe(
      threadOf(inChannel),
    );
  });

  it.each([
    ['direct', 1],
    ['mention', 1],
    ['group_mention', 1],
    ['wildcard_mention', 0.5],
    ['channel', 0.5],
  ] as const)('has the relevance of a %s', (kind, relevance) => {
    const trigger =
      kind === 'group_mention' ? { kind, group: { id: 12, name: 'cooks' } } : { kind };
    const { aps } = payloadOf(message(inChannel, trigger));
    expect(aps['relevance-score']).toBe(relevance);
  });

  it('draws no attention to what another notification has drawn it to', () => {
    const content = message(inChannel, { kind: 'channel' });
    expect(payloadOf(content).aps).not.toHaveProperty('interruption-level');
    const { aps } = payloadOf({ ...content, isPassive: true });
    expect(aps).toEqual({ ...payloadOf(content).aps, 'interruption-level': 'passive' });
  });

  it.each([
    ['mention', 'Bob Fischer mentioned you:'],
    ['wildcard_mention', 'Bob Fischer mentioned everyone:'],
  ] as const)('has the subtitle of a %s', (kind, subtitle) => {
    expect(payloadOf(message(inChannel, { kind })).aps.alert?.subtitle).toBe(subtitle);
  });

  it('names the mentioned group', () => {
    const group = { id: 12, name: 'cooks' };
    const payload = payloadOf(message(inChannel, { kind: 'group_mention', group }));
    expect(payload.aps.alert?.subtitle).toBe('Bob Fischer mentioned @cooks:');
    expect(payload.zulip).toMatchObject({
      mentioned_user_group_id: 12,
      mentioned_user_group_name: 'cooks',
    });
  });

  it('names only the sender of a message between two', () => {
    const payload = payloadOf(message(among('Bob Fischer', 'Alice Hart'), { kind: 'direct' }));
    expect(payload.aps.alert).toEqual({ title: 'Bob Fischer', subtitle: '', body: 'Soup?' });
    expect(payload.zulip).toEqual({
      ...base,
      sender_id: 5,
      sender_email: 'bob@example.org',
      recipient_type: 'private',
      event: 'message',
      message_ids: [41],
    });
  });

  it('names all participants of a larger conversation', () => {
    const people = among('Bob Fischer', 'Alice Hart', 'Cem Kaya');
    const payload = payloadOf(message(people, { kind: 'direct' }));
    expect(payload.aps.alert).toEqual({
      title: 'Alice Hart, Bob Fischer, Cem Kaya',
      subtitle: 'Bob Fischer:',
      body: 'Soup?',
    });
    expect(payload.zulip).toMatchObject({ recipient_type: 'private', pm_users: '5,6,7' });
  });

  it('has the payload of a removal', () => {
    expect(payloadOf({ kind: 'remove', messageIds: [9, 41] })).toEqual({
      aps: { 'content-available': 1 },
      zulip: { ...base, event: 'remove', zulip_message_ids: '9,41' },
    });
  });

  it("never exceeds Apple's limit, and cuts no more text than necessary", () => {
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
  it('is high for alerts and low for removals', () => {
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
  it("has the delivery's id, and a collapse id for repetitions", () => {
    expect(apnsHeaders(push)).toEqual({
      id: push.deliveryId,
      topic: 'org.example.chat-beta',
      pushType: 'alert',
      priority: 10,
      expiration: 1_700_003_600,
      collapseId: push.notificationId,
    });
  });

  it('has the collapse id of the notification that a reminder replaces', () => {
    const replaces = '7b9d4f0e-4f0c-4c50-9a3e-0b8f2f1f0c12';
    expect(apnsHeaders({ ...push, replaces })).toMatchObject({
      id: push.deliveryId,
      collapseId: replaces,
    });
  });

  it.each<[string, OutgoingPush['content']]>([
    ['in plain text', { kind: 'remove', messageIds: [1] }],
    ['encrypted', { kind: 'encrypted', isSilent: true, keyId: 1, data: 'x' }],
    [
      'of another server',
      {
        kind: 'prepared',
        isSilent: true,
        apnsUrgency: { pushType: 'background', priority: 5 },
        payload: {},
      },
    ],
  ])('lets a removal wait for nothing, and displace nothing at Apple: %s', (_form, content) => {
    expect(apnsHeaders({ ...push, content })).toMatchObject({
      pushType: 'background',
      priority: 5,
      expiration: 0,
    });
  });

  it("accepts a topic of 155 characters, Apple's limit", () => {
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
  ])('rejects the topic %j', (appId, reason) => {
    expect(apnsHeaders({ ...push, appId })).toBe(reason);
  });
});
