import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { plainTextOf, renderMarkdown } from '#markdown';
import type { Callable } from './text-rules.fixture.js';

type Call = (rule: Callable, text: string) => unknown;

const key = randomBytes(32);
const now = Date.UTC(2026, 0, 5);
const emailPolicy = { domains: [], refusesDisposable: true };
const person = { id: 5, fullName: 'Bob Fischer' };

/**
 * How rules are called that take more than texts and numbers, or whose patterns only see a text behind what
 * they look for. Every other rule gets the text in the place of each of its texts.
 */
export const calls: Readonly<Record<string, Call>> = {
  'apps/api-gateway/src/ops/sign-in/operator-session.rules.ts#bearerIn': (rule, text) =>
    rule(`bearer ${text}`),
  'apps/api-gateway/src/ops/sign-in/operator-session.rules.ts#readSession': (rule, text) =>
    rule(key, `${now}.${text}`, now),
  'libs/devices/src/device-token.rules.ts#normalizeDeviceToken': (rule, text) => rule('apns', text),
  'libs/edge/src/parameters/refusal-text.rules.ts#refusalText': (rule, text) =>
    rule(text, new z.ZodError([{ code: 'custom', message: text, path: [text], input: text }])),
  'libs/emoji/src/emoji-choice.rules.ts#unicodeEmojiOf': (rule, text) =>
    rule({ nameOf: () => undefined, isNamed: () => false }, text, text),
  'libs/emoji/src/emoji-choice.rules.ts#usableEmojiOf': (rule, text) => rule(null, text),
  'libs/idempotency/src/request-digest.rules.ts#requestDigest': (rule, text) =>
    rule(text, { text, list: Array.from(text) }),
  'libs/messages/src/sending/file-links.rules.ts#linkedPaths': (rule, text) =>
    rule(`/user_uploads/1/${text}a`),
  'libs/messages/src/sending/posting.rules.ts#topicFor': (rule, text) =>
    rule({ name: text, topicsPolicy: 'inherit' }, text),
  'libs/presence/src/answer/answer.rules.ts#legacyFragment': (rule, text) =>
    rule({ idleAt: 1, activeAt: 1 }, JSON.stringify(text)),
  'libs/push-transport/src/fcm/fcm-message.rules.ts#fcmBody': (rule, text) =>
    rule({ token: text, expiresAt: now, content: { kind: 'remove', messageIds: [] } }, text, now),
  // A message's text has 200 characters at most.
  'libs/push-transport/src/transport/message-fields.rules.ts#fitted': (rule, text) =>
    rule(text.slice(0, 400), (body: string) => ({ body, rest: 'a'.repeat(3900) })),
  'libs/realms/src/subdomain.rules.ts#subdomainOfHost': (rule, text) =>
    rule(text, new URL('https://chat.example.org')),
  'libs/uploads/src/file-token.rules.ts#openFileToken': (rule, text) =>
    rule(`1.${now}.${text}`, key, now),
  // An address has at most 254 characters, which is checked before.
  'libs/users/src/new-account/email-address.rules.ts#refuseForeignEmail': (rule, text) =>
    rule(`a@${text}`.slice(0, 254), emailPolicy, () => false),
  'libs/video-calls/src/provider-token.rules.ts#parseToken': (rule, text) =>
    rule(JSON.stringify({ accessToken: text }), { userId: 5, provider: 'zoom' }),
};

/** What a row does with a text. */
type TextFunction = (text: string) => unknown;

/** What a message goes through: on its way in, and again when phones are told of it. */
export const throughMarkdown: TextFunction = (text) => plainTextOf(renderMarkdown(text, context));

const context = {
  findUser: (_name: string, id: number | undefined) => id ?? 5,
  findGroup: () => 2,
  findChannel: () => 3,
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

/** Rules that take text inside an object. A rule that takes text by itself is found without being listed. */
export const furtherCalls: readonly (readonly [key: string, call: Call])[] = [
  [
    'libs/messages/src/composing/mentions.rules.ts#calledIn',
    (rule, text) => rule(`<blockquote>${text}<span class="user-mention" ${text}`),
  ],
  [
    'libs/moderation/src/report-content.rules.ts#reportContent',
    (rule, text) =>
      rule({
        type: 'spam',
        reporter: { id: 6, fullName: text.slice(0, 100) },
        description: text.slice(0, 1000),
        message: { ...message, content: text.slice(0, 10_000), topic: text.slice(0, 60) },
      }),
  ],
  [
    'libs/playgrounds/src/playground.rules.ts#checkPlayground',
    (rule, text) =>
      rule({ name: text, pygmentsLanguage: text, urlTemplate: `http://a/${text}{code}` }),
  ],
  [
    'libs/profile-fields/src/profile-value.rules.ts#storedValue',
    (rule, text) => rule(field(4), text, new Set()),
  ],
  [
    'libs/profile-fields/src/profile-value.rules.ts#storedValue',
    (rule, text) => rule(field(5), `http://${text}`.slice(0, 2000), new Set()),
  ],
  [
    'libs/profile-fields/src/field-data.rules.ts#shapeOf',
    (rule, text) => rule({ [text]: { [text]: text } }),
  ],
  [
    'libs/profile-fields/src/field-data.rules.ts#externalAccountOf',
    (rule, text) => rule(new Map(accountOf(`http://a/${text}%(username)s`))),
  ],
  [
    'libs/edge/src/parameters/parse-parameters.rules.ts#parseParameters',
    (rule, text) => rule(parameter('text'), new Map([['p', text]])),
  ],
  [
    'libs/edge/src/parameters/parse-parameters.rules.ts#parseParameters',
    (rule, text) => rule(parameter('json'), new Map([['p', JSON.stringify(text)]])),
  ],
  [
    'libs/uploads/src/file-answer.rules.ts#fileHeaders',
    (rule, text) => rule({ fileName: text, contentType: 'text/plain' }, false),
  ],
];

const accountOf = (pattern: string): [string, string][] => [
  ['subtype', 'custom'],
  ['url_pattern', pattern],
];
