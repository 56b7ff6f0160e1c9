import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NO_RECIPIENT, type Outcome, type OutgoingPush } from '#push/providers';
import {
  afterBreakerPause,
  deliveryId,
  recheckDelayMs,
  recordOf,
  redacted,
  removalDelayMs,
  retryDelayMs,
} from './delivery.rules.js';
import { due, READ_AT } from './due-delivery.fixture.js';

const hint = { firstDelayMs: 1000, retryAfterMs: null };

describe(retryDelayMs.name, () => {
  it.each([
    [1, 1000],
    [2, 2000],
    [5, 16_000],
    [9, 256_000],
    [10, 300_000],
    [200, 300_000],
  ])('doubles up to five minutes: after %i attempts %i ms', (attempts, expected) => {
    expect(retryDelayMs(attempts, hint, 0)).toBe(expected);
  });

  it('never undercuts a Retry-After', () => {
    expect(retryDelayMs(1, { ...hint, retryAfterMs: 7000 }, 0)).toBe(7000);
    expect(retryDelayMs(5, { ...hint, retryAfterMs: 7000 }, 0)).toBe(16_000);
  });

  it('adds jitter of at most half as much again', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.option(fc.integer({ min: 0, max: 3_600_000 })),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempts, retryAfterMs, chance) => {
          const least = retryDelayMs(attempts, { ...hint, retryAfterMs }, 0);
          const delayMs = retryDelayMs(attempts, { ...hint, retryAfterMs }, chance);
          return delayMs >= least && delayMs <= least * 1.5;
        },
      ),
      { examples: [[1, 1_567_135, 0.9999999999999998]] },
    );
  });
});

describe(recheckDelayMs.name, () => {
  it.each([
    [0, 20],
    [40, 20],
    [300, 150],
    [20_000, 10_000],
    [1_800_000, 30_000],
  ])('grows with the time that a delivery has waited: after %i ms, in %i', (waitedMs, expected) => {
    expect(recheckDelayMs(waitedMs)).toBe(expected);
  });
});

describe(removalDelayMs.name, () => {
  it.each([
    [0, 500],
    [8000, 4000],
    [1_800_000, 30_000],
  ])('grows with the time that a delivery has waited: after %i ms, in %i', (waitedMs, expected) => {
    expect(removalDelayMs(waitedMs)).toBe(expected);
  });
});

describe(afterBreakerPause.name, () => {
  it.each([
    [0, 7000],
    [0.5, 8000],
  ])('spreads retries over two seconds after the pause: with %d at %i', (chance, expected) => {
    expect(afterBreakerPause(7000, chance)).toBe(expected);
  });
});

const { notificationId } = due;

describe(deliveryId.name, () => {
  it('is a UUID of version 8', () => {
    expect(deliveryId(notificationId, 1)).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  it('is the same for the same delivery, also in another release', () => {
    expect(deliveryId(notificationId, 1)).toBe('54a06809-4b5e-8144-989d-db2f05f46c67');
  });

  it('is another one for another device or notification', () => {
    const other = notificationId.replace('7b9d', '7b9e');
    const ids = [
      deliveryId(notificationId, 1),
      deliveryId(notificationId, 2),
      deliveryId(other, 1),
    ];
    expect(new Set(ids).size).toBe(3);
  });
});

describe(redacted, () => {
  it('keeps the shape and the numbers, and replaces each text by its length', () => {
    const payload = { aps: { alert: { title: 'Café', body: '🎉' }, badge: 0 }, ids: [7, 'a'] };
    expect(redacted(payload)).toEqual({
      aps: { alert: { title: '<4 characters>', body: '<1 characters>' }, badge: 0 },
      ids: [7, '<1 characters>'],
    });
  });

  it('contains no text', () => {
    const secret = 'the-secret-text';
    const holder = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof(
        fc.constant(secret),
        fc.integer(),
        fc.constant(null),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('node'), { maxKeys: 3 }),
      ),
    })).node;
    fc.assert(
      fc.property(holder, (payload) => {
        expect(JSON.stringify(redacted(payload))).not.toContain(secret);
      }),
    );
  });
});

const NEXT_AT = READ_AT + 60_000;

const push: OutgoingPush = {
  notificationId,
  deliveryId: deliveryId(notificationId, 7),
  token: due.token,
  appId: due.appId,
  environment: null,
  expiresAt: NEXT_AT,
  recipient: NO_RECIPIENT,
  content: { kind: 'test', time: 1 },
  isWithdrawn: () => false,
};
const ended = {
  notificationId,
  deviceId: 7,
  isAttempt: true,
  mayBeShown: false,
  reason: null,
  dueAt: null,
  dead: null,
  deadLetter: null,
  environment: null,
  subscription: null,
};
const shown = { ...ended, mayBeShown: true };
const deadLetter = {
  userId: 3,
  platform: 'apns',
  kind: 'test',
  payload: expect.objectContaining({ aps: expect.anything() }),
};
const dead = {
  platform: 'apns',
  token: 'abcdef',
  appId: null,
  since: new Date(READ_AT),
};

type Concluded = Exclude<Outcome, { kind: 'config_fault' }>;
const deadToken = { kind: 'dead_token', deadSince: null, ofApp: false, isSuspect: false } as const;
const retry: Concluded = {
  kind: 'retry',
  class: 'temporary',
  scope: 'device',
  reason: 'Shutdown',
  ...hint,
};

describe(recordOf, () => {
  it.each<[string, Concluded, { isPruneAllowed: boolean; attempts: number }, object]>([
    [
      'a delivered push',
      { kind: 'delivered', environment: null },
      { isPruneAllowed: false, attempts: 0 },
      { ...shown, state: 'delivered' },
    ],
    [
      'a delivered push with a new environment',
      { kind: 'delivered', environment: 'sandbox' },
      { isPruneAllowed: false, attempts: 0 },
      { ...shown, state: 'delivered', environment: 'sandbox' },
    ],
    [
      'a push of the development environment of Apple',
      { kind: 'delivered', environment: null, uniqueId: 'A1' },
      { isPruneAllowed: false, attempts: 0 },
      { ...shown, state: 'delivered', reason: 'apns-unique-id A1' },
    ],
    [
      'a dead token that may be removed',
      { ...deadToken, reason: 'Unregistered' },
      { isPruneAllowed: true, attempts: 0 },
      { ...ended, state: 'dead_token', reason: 'Unregistered', dead },
    ],
    [
      'a dead token since a time',
      { ...deadToken, reason: 'Unregistered', deadSince: READ_AT - 500 },
      { isPruneAllowed: true, attempts: 0 },
      {
        ...ended,
        state: 'dead_token',
        reason: 'Unregistered',
        dead: { ...dead, since: new Date(READ_AT - 500) },
      },
    ],
    [
      'a dead token of one app',
      { ...deadToken, reason: 'DeviceTokenNotForTopic', ofApp: true },
      { isPruneAllowed: true, attempts: 0 },
      {
        ...ended,
        state: 'dead_token',
        reason: 'DeviceTokenNotForTopic',
        dead: { ...dead, appId: 'org.example.chat' },
      },
    ],
    [
      'a dead token during an alarm',
      { ...deadToken, reason: 'Unregistered' },
      { isPruneAllowed: false, attempts: 0 },
      { ...ended, state: 'dead_token', reason: 'Unregistered' },
    ],
    [
      'an invalid message',
      { kind: 'message_fault', reason: 'BadTopic', wasSent: true },
      { isPruneAllowed: false, attempts: 0 },
      { ...ended, state: 'rejected', reason: 'BadTopic', deadLetter },
    ],
    [
      'the last attempt but one',
      retry,
      { isPruneAllowed: false, attempts: 198 },
      { ...shown, state: 'pending', reason: 'Shutdown', dueAt: new Date(NEXT_AT) },
    ],
    [
      'the last attempt',
      retry,
      { isPruneAllowed: false, attempts: 199 },
      { ...shown, state: 'rejected', reason: 'Shutdown', deadLetter },
    ],
  ])('of %s', (_name, outcome, { isPruneAllowed, attempts }, expected) => {
    const attempted = { ...due, attempts };
    expect(recordOf(attempted, { outcome, nextAt: NEXT_AT, isPruneAllowed, push })).toEqual(
      expected,
    );
  });

  it('of a push that could not be made has a dead letter without a payload', () => {
    const attempted = { ...due, attempts: 199 };
    const conclusion = { outcome: retry, nextAt: NEXT_AT, isPruneAllowed: false, push: null };
    const record = recordOf(attempted, conclusion);
    expect(record.deadLetter).toEqual({ ...deadLetter, payload: null });
    expect(record.mayBeShown).toBe(false);
  });

  it('counts as shown after an attempt without an answer, whatever the next one is answered', () => {
    const outcome: Concluded = { ...deadToken, reason: 'Unregistered' };
    const conclusion = { outcome, nextAt: NEXT_AT, isPruneAllowed: false, push };
    expect(recordOf({ ...due, mayBeShown: true }, conclusion).mayBeShown).toBe(true);
  });

  it('of a push to Google has a dead letter with the data for Google', () => {
    const google = { ...due, platform: 'fcm' } as const;
    const outcome: Concluded = { kind: 'message_fault', reason: 'INVALID_ARGUMENT', wasSent: true };
    const record = recordOf(google, { outcome, nextAt: NEXT_AT, isPruneAllowed: false, push });
    expect(record.deadLetter).toMatchObject({
      platform: 'fcm',
      payload: { event: '<4 characters>' },
    });
  });

  it('keeps the spelling of a token of Google', () => {
    const google = { ...due, platform: 'fcm', appId: null } as const;
    const outcome: Concluded = { ...deadToken, reason: 'UNREGISTERED' };
    const record = recordOf(google, { outcome, nextAt: NEXT_AT, isPruneAllowed: true, push });
    expect(record.dead).toMatchObject({ platform: 'fcm', token: 'ABCDEF' });
  });

  it('names a dead token of a push service by its id', () => {
    const relayed = { ...push, relayedFor: {} as NonNullable<OutgoingPush['relayedFor']> };
    const outcome: Concluded = { ...deadToken, reason: 'DELETED_BY_SERVICE' };
    const tokenId = Buffer.from('id').toString('base64');
    const conclusion = { outcome, nextAt: NEXT_AT, isPruneAllowed: true, push: relayed };
    expect(recordOf({ ...due, token: tokenId }, conclusion).dead).toEqual({
      platform: 'apns',
      token: '',
      appId: null,
      since: new Date(READ_AT),
      relayed: { realmId: 5, tokenId: Buffer.from('id') },
    });
  });
});
