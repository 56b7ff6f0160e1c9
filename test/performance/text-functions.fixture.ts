import { randomBytes } from 'node:crypto';
import { RE2JS } from 're2js';
import { z } from 'zod';
import { plainTextOf, renderMarkdown } from '#platform/markdown';
import type { Callable } from './text-rules.fixture.js';

type Call = (rule: Callable, text: string) => unknown;

const key = randomBytes(32);
const now = Date.UTC(2026, 0, 5);
const emailPolicy = { domains: [], refusesDisposable: true };
/** Exponential for an engine that goes back. */
const slow = {
  expression: RE2JS.compile('(?:^|\\s)((?P<x>(?:[a. ]+)+)!)'),
  names: ['x'],
  expand: () => 'https://a.test/',
};
const person = { id: 5, fullName: 'Bob Fischer' };
const mention = '@_**Bob Fischer|5**';
/** Channels and topics have shorter names. */
const LONGEST_NAME = 1000;

/**
 * Calls of rules that take more than texts and numbers, or whose pattern matches only behind a prefix. Every other rule
 * receives the text for each of its string parameters.
 */
export const calls: Readonly<Record<string, Call>> = {
  'libs/push/admin/ops/sign-in/operator-session.rules.ts#bearerIn': (rule, text) =>
    rule(`bearer ${text}`),
  'libs/push/admin/ops/sign-in/operator-session.rules.ts#readSession': (rule, text) =>
    rule(key, `${now}.${text}`, now),
  'libs/push/breakers/prune-alarm-key.rules.ts#isAlarmOfApp': (rule, text) =>
    rule(`apns:${text}`, { platform: 'apns', appId: text }),
  'libs/push/devices/plain/device-token.rules.ts#normalizeDeviceToken': (rule, text) =>
    rule('apns', text),
  'libs/platform/http/parameters/parse-parameters.rules.ts#refusalText': (rule, text) =>
    rule(text, new z.ZodError([{ code: 'custom', message: text, path: [text], input: text }])),
  'libs/directory/realms/operator-settings.rules.ts#realmSetting': (rule, text) =>
    rule(z.string(), text),
  'libs/chat/emoji/emoji.rules.ts#unicodeEmojiOf': (rule, text) =>
    rule({ nameOf: () => undefined, isNamed: () => false }, text, text),
  'libs/chat/emoji/emoji.rules.ts#usableEmojiOf': (rule, text) => rule(null, text),
  'libs/chat/scheduled-messages/scheduled-messages.rules.ts#failureText': (rule, text) =>
    rule(new Date(now), text),
  'libs/chat/messages/composing/topic-links.rules.ts#topicLinksIn': (rule, text) => rule(text),
  'libs/chat/messages/sending/new-message.rules.ts#linkedPaths': (rule, text) =>
    rule(`/user_uploads/1/${text}a`),
  'libs/chat/messages/sending/destination.rules.ts#topicFor': (rule, text) =>
    rule('allow_empty_topic', text),
  'libs/chat/messages/editing/message-edit.rules.ts#placeAfter': (rule, text) =>
    rule({ channelId: 7, conversationId: null, topic: text }, text),
  'libs/chat/messages/submessages/widget.rules.ts#widgetContent': (rule, text) =>
    rule(`/poll ${text}\n${text}`),
  'libs/chat/messages/submessages/widget.rules.ts#widgetTypeOf': (rule, text) =>
    rule(JSON.stringify({ widget_type: text })),
  'libs/chat/channel-notices/notice-texts.rules.ts#addedToGroupText': (rule, text) =>
    rule(mention, text),
  'libs/chat/channel-notices/notice-texts.rules.ts#removedFromGroupText': (rule, text) =>
    rule(mention, text),
  'libs/chat/channel-notices/notice-texts.rules.ts#changedText': (rule, text) =>
    rule(mention, text),
  'libs/chat/channel-notices/notice-texts.rules.ts#subscribedText': (rule, text) =>
    rule(mention, [{ id: 7, name: text }]),
  'libs/chat/channel-notices/notice-texts.rules.ts#createdText': (rule, text) =>
    rule(mention, { id: 7, name: text, isPrivate: false, description: text }),
  'libs/chat/channel-notices/notice-texts.rules.ts#announcedText': (rule, text) =>
    rule(mention, [{ id: 7, name: text }]),
  'libs/chat/messages/editing/move-notices.rules.ts#noticesOf': (rule, given) => {
    const text = given.slice(0, LONGEST_NAME);
    return rule(
      {
        message: { channelId: 7, channelName: text, topic: text },
        move: { topic: text },
        count: 2,
        isWhole: false,
        channel: { id: 8, name: text },
      },
      mention,
      { notifiesNewThread: true, notifiesOldThread: true },
    );
  },
  'libs/chat/messages/message-address.rules.ts#messageLink': (rule, text) =>
    rule({ id: 9, channel: { id: 7, name: text }, topic: text }, 'https://a.test/'),
  // The caller passes at most 10,000 characters.
  'libs/chat/linkifiers/linkifier.rules.ts#linksIn': (rule, text) =>
    rule(text.slice(0, 10_000), [slow]),
  'libs/chat/channels/topics/topic-name.rules.ts#shownTopic': (rule, text) => rule(text, false),
  'libs/platform/markdown/code/pygments-classes.rules.ts#partsOf': (rule, text) =>
    rule(text, [], 'javascript'),
  'libs/presence/rules/answer.rules.ts#legacyFragment': (rule, text) =>
    rule({ idleAt: 1, activeAt: 1 }, JSON.stringify(text)),
  'libs/push/notifications/quiet/quiet-times.rules.ts#quietTimesOf': (rule, text) =>
    rule([{ days: [0], start: '22:00', end: '07:00' }], text, now, 14),
  'libs/push/delivery/feedback/feedback.rules.ts#signatureOf': (rule, text) =>
    rule(text, ['a secret of operators'], 1_700_000_000),
  'libs/push/providers/fcm/fcm-payload.rules.ts#fcmBody': (rule, text) =>
    rule({ token: text }, text, {
      priority: 'high',
      ttlSeconds: 0,
      isForConstrainedNetworks: false,
    }),
  'libs/push/tenants/servers/server-registration.rules.ts#makeHostSecret': (rule, text) =>
    rule(key, text, now),
  'libs/push/tenants/servers/server-registration.rules.ts#hostSecretFault': (rule, text) =>
    rule(key, 'chat.test', text, now),
  'libs/push/tenants/servers/tenant-credentials.rules.ts#parseTenantAuthorization': (rule, text) =>
    rule(`Basic ${Buffer.from(text).toString('base64')}`),
  // The caller passes at most 200 characters, of up to two UTF-16 units.
  'libs/push/providers/transport/message-fields.rules.ts#fitted': (rule, text) =>
    rule(text.slice(0, 400), (body: string) => ({ body, rest: 'a'.repeat(3900) })),
  'libs/directory/realms/subdomain.rules.ts#subdomainOfHost': (rule, text) =>
    rule(text, new URL('https://chat.example.org')),
  'libs/chat/uploads/uploads.rules.ts#openFileToken': (rule, text) =>
    rule(`1.${now}.${text}`, key, now),
  // The caller has checked the maximum of 254 characters.
  'libs/directory/users/new-account/email-address.rules.ts#rejectForbiddenEmail': (rule, text) =>
    rule(`a@${text}`.slice(0, 254), emailPolicy, () => false),
  'libs/chat/video-calls/provider-token.rules.ts#parseToken': (rule, text) =>
    rule(JSON.stringify({ accessToken: text }), { userId: 5, provider: 'zoom' }),
};

/** Renders a message, and converts it to the plain text of a notification. */
export const throughMarkdown: (text: string) => unknown = (text) =>
  plainTextOf(renderMarkdown(text, context).html);

const context = {
  findUser: (name: string, id: number | undefined) => ({ id: id ?? 5, name, isActive: true }),
  findGroup: (name: string) => ({ id: 2, name, isActive: true }),
  findChannel: () => 3,
  findEmoji: (name: string) => (name.length < 3 ? { code: '1f408' } : undefined),
  nameOfEmoji: () => 'cat',
  hasEmoticons: true,
  address: 'http://a.b',
  previewOf: (address: string) => (address.startsWith('/user_uploads/') ? address : undefined),
};

const message = {
  id: 7,
  sender: person,
  sentAt: new Date(now),
  people: null,
  channel: { id: 3, name: 'kitchen' },
};

const field = (fieldType: number) => ({ name: 'Field', fieldType, fieldData: null });
const parameter = (encoding: 'json' | 'text') => ({
  p: { encoding, schema: z.string(), absent: null },
});

/** Rules that take text inside an object. Rules with a string parameter are found without a list. */
export const furtherCalls: readonly (readonly [key: string, call: Call])[] = [
  [
    'libs/chat/moderation/report-content.rules.ts#reportContent',
    (rule, text) =>
      rule({
        type: 'spam',
        reporter: { id: 6, fullName: text.slice(0, 100) },
        description: text.slice(0, 1000),
        message: { ...message, content: text.slice(0, 10_000), topic: text.slice(0, 60) },
      }),
  ],
  [
    'libs/chat/playgrounds/playground.rules.ts#checkPlayground',
    (rule, text) =>
      rule({ name: text, pygmentsLanguage: text, urlTemplate: `http://a/${text}{code}` }),
  ],
  [
    'libs/directory/profile-fields/profile-value.rules.ts#storedValue',
    (rule, text) => rule(field(4), text, new Set()),
  ],
  [
    'libs/directory/profile-fields/profile-value.rules.ts#storedValue',
    (rule, text) => rule(field(5), `http://${text}`.slice(0, 2000), new Set()),
  ],
  [
    'libs/directory/profile-fields/field-data.rules.ts#shapeOf',
    (rule, text) => rule({ [text]: { [text]: text } }),
  ],
  [
    'libs/directory/profile-fields/field-data.rules.ts#externalAccountOf',
    (rule, text) => rule(new Map(accountOf(`http://a/${text}%(username)s`))),
  ],
  [
    'libs/platform/http/parameters/parse-parameters.rules.ts#parseParameters',
    (rule, text) => rule(parameter('text'), new Map([['p', text]])),
  ],
  [
    'libs/platform/http/parameters/parse-parameters.rules.ts#parseParameters',
    (rule, text) => rule(parameter('json'), new Map([['p', JSON.stringify(text)]])),
  ],
  [
    'libs/chat/uploads/uploads.rules.ts#fileHeaders',
    (rule, text) => rule({ fileName: text, contentType: 'text/plain' }, false),
  ],
];

const accountOf = (pattern: string): [string, string][] => [
  ['subtype', 'custom'],
  ['url_pattern', pattern],
];
