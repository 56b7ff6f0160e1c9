import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Outcome } from '../outcomes.rules.js';
import { type ProviderAnswer, refusal } from '../transport/provider-answer.rules.js';
import { webPushOutcome } from './web-push-outcomes.rules.js';

const NOW = 1_700_000_000_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const browser = 'https://updates.push.services.mozilla.com/wpush/v2/x';
const other = 'https://ntfy.example.org/x';

type Answer = Exclude<ProviderAnswer, { kind: 'withdrawn' }>;
type History = Partial<
  Readonly<{ failingSince: number | null; goneSince: number | null; refusedCount: number }>
>;

function outcome(answer: Answer, token = other, history: History = {}): Outcome {
  const web = {
    kind: 'browser',
    p256dh: Buffer.of(),
    auth: Buffer.of(),
    vapidKeyId: 1,
    readMessageIds: [],
    failingSince: null,
    goneSince: null,
    refusedCount: 0,
    ...history,
  } as const;
  return webPushOutcome(answer, { token, web }, NOW);
}

const refused = (
  status: number,
  reason: string | null = null,
  retryAfterMs: number | null = null,
) => refusal({ status, reason, retryAfterMs });

/** What an outcome says; of a suspicion that a configuration is wrong, with a question mark. */
function word(given: Outcome): string {
  const mark = 'mark' in given && given.mark !== undefined ? `, ${given.mark}` : '';
  switch (given.kind) {
    case 'dead_token':
      return `dead${given.isSuspect ? '?' : ''}`;
    case 'retry':
      return `${given.class} ${given.scope} ${given.firstDelayMs / 1000}${mark}`;
    case 'config_fault':
      return 'configuration';
    default:
      return `${given.kind}${mark}`;
  }
}

/** The answer; of a browser's service; of a host that a user has chosen. */
const rows: readonly (readonly [string, Answer, string, string])[] = [
  ['201', { kind: 'accepted' }, 'delivered', 'delivered'],
  ['404', refused(404), 'dead', 'unclear host 60, gone'],
  ['410', refused(410), 'dead', 'unclear host 60, gone'],
  [
    'a sign-in refused by 401',
    refused(401, 'VapidRefused'),
    'configuration',
    'message_fault, refused',
  ],
  [
    'a sign-in refused by 403',
    refused(403, 'VapidRefused'),
    'configuration',
    'message_fault, refused',
  ],
  [
    'a sign-in refused by 400',
    refused(400, 'VapidRefused'),
    'configuration',
    'message_fault, refused',
  ],
  [
    'a refusal of a key that works',
    refused(403, 'VapidKeyMismatch'),
    'dead?',
    'message_fault, refused',
  ],
  ['413', refused(413), 'message_fault', 'message_fault'],
  ['400', refused(400), 'message_fault, refused', 'message_fault, refused'],
  ['400 BadTtl', refused(400, 'BadTtl'), 'message_fault, refused', 'message_fault, refused'],
  ['405', refused(405), 'message_fault, refused', 'message_fault, refused'],
  ['301', refused(301), 'message_fault, refused', 'message_fault, refused'],
  ['307', refused(307), 'message_fault, refused', 'message_fault, refused'],
  ['429', refused(429), 'throttled provider 60', 'throttled host 60'],
  ['429 after 5 s', refused(429, null, 5000), 'throttled provider 10', 'throttled host 10'],
  ['507', refused(507), 'temporary provider 600', 'temporary host 600, gone'],
  ['408', refused(408), 'temporary provider 10', 'temporary host 10, failing'],
  ['421', refused(421), 'temporary provider 10', 'temporary host 10, failing'],
  ['500', refused(500), 'temporary provider 10', 'temporary host 10, failing'],
  ['502', refused(502), 'temporary provider 10', 'temporary host 10, failing'],
  ['503', refused(503), 'temporary provider 10', 'temporary host 10, failing'],
  [
    'no answer',
    { kind: 'unanswered', reason: 'deadline', wasSent: true },
    'unanswered provider 10',
    'unanswered host 10, failing',
  ],
  [
    'a TLS fault',
    { kind: 'unanswered', reason: 'connection' },
    'connection provider 10',
    'connection host 10, failing',
  ],
  [
    'an unknown name',
    { kind: 'unanswered', reason: 'name' },
    'connection host 10',
    'connection host 10, failing',
  ],
  [
    'a full line',
    { kind: 'unanswered', reason: 'busy' },
    'connection provider 10',
    'connection host 10',
  ],
  [
    'no way through the proxy',
    { kind: 'unanswered', reason: 'proxy' },
    'connection provider 10',
    'connection host 10',
  ],
  [
    'an endpoint that is not allowed',
    { kind: 'unsendable', reason: 'EndpointNotAllowed' },
    'dead?',
    'dead?',
  ],
  ['a removed VAPID key', { kind: 'unsendable', reason: 'UnknownVapidKey' }, 'dead?', 'dead?'],
  [
    'a text that is too long',
    { kind: 'unsendable', reason: 'PayloadTooLarge' },
    'message_fault',
    'message_fault',
  ],
  [
    'no contact',
    { kind: 'misconfigured', reason: 'WEB_PUSH_CONTACT is not set' },
    'configuration',
    'configuration',
  ],
];

describe(webPushOutcome.name, () => {
  it.each(rows)('maps %s', (_, answer, ofBrowser, ofOther) => {
    expect(word(outcome(answer, browser))).toBe(ofBrowser);
    expect(word(outcome(answer, other))).toBe(ofOther);
  });

  it('ends a subscription when its host says again, an hour later, that it is gone', () => {
    for (const status of [404, 410]) {
      const after = (ms: number) => word(outcome(refused(status), other, { goneSince: NOW - ms }));
      expect(after(HOUR_MS - 1)).toBe('unclear host 60, gone');
      expect(after(HOUR_MS)).toBe('dead');
    }
  });

  it('ends a subscription after twelve hours without a subscriber', () => {
    const after = (ms: number) => word(outcome(refused(507), other, { goneSince: NOW - ms }));
    expect(after(12 * HOUR_MS - 1)).toBe('temporary host 600, gone');
    expect(after(12 * HOUR_MS)).toBe('dead');
  });

  it('ends a subscription whose host has failed for two weeks', () => {
    const failures: readonly Answer[] = [
      refused(503),
      refused(408),
      { kind: 'unanswered', reason: 'connection' },
      { kind: 'unanswered', reason: 'name' },
    ];
    for (const failure of failures) {
      const after = (ms: number, token: string) =>
        outcome(failure, token, { failingSince: NOW - ms }).kind;
      expect(after(14 * DAY_MS - 1, other)).toBe('retry');
      expect(after(14 * DAY_MS, other)).toBe('dead_token');
      expect(outcome(failure, other, { failingSince: NOW })).not.toHaveProperty('mark');
      // The service of a browser says when a subscription is gone.
      expect(after(14 * DAY_MS, browser)).toBe('retry');
    }
    const proxy: Answer = { kind: 'unanswered', reason: 'proxy' };
    expect(outcome(proxy, other, { failingSince: 0 })).toMatchObject({ kind: 'retry' });
    expect(outcome(proxy, other)).not.toHaveProperty('mark');
  });

  it('ends a subscription at the fifth refusal in a row', () => {
    for (const status of [400, 301, 405]) {
      const at = (refusedCount: number) => outcome(refused(status), other, { refusedCount }).kind;
      expect(at(3)).toBe('message_fault');
      expect(at(4)).toBe('dead_token');
    }
  });

  it('waits for as long as a service asks', () => {
    const later = outcome(refused(429, null, 120_000), browser);
    expect(later).toMatchObject({ retryAfterMs: 120_000, firstDelayMs: 60_000 });
  });

  it('never blames all pushes for what one host that a user has chosen answers', () => {
    const any = fc.record({
      status: fc.integer({ min: 300, max: 599 }),
      reason: fc.constantFrom(null, 'VapidRefused', 'VapidKeyMismatch'),
      retryAfterMs: fc.option(fc.nat(HOUR_MS)),
    });
    fc.assert(
      fc.property(any, ({ status, reason, retryAfterMs }) => {
        const given = outcome(refused(status, reason, retryAfterMs), other);
        expect(given.kind).not.toBe('config_fault');
        const { scope, firstDelayMs } =
          given.kind === 'retry' ? given : { scope: 'host', firstDelayMs: 10_000 };
        expect(scope).toBe('host');
        expect(firstDelayMs).toBeGreaterThanOrEqual(10_000);
      }),
    );
  });
});
