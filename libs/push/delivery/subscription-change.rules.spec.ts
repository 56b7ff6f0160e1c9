import { describe, expect, it } from '@jest/globals';
import type { Outcome } from '#push/providers';
import { due, READ_AT } from './due-delivery.fixture.js';
import { subscriptionChangeOf } from './subscription-change.rules.js';

const ENDPOINT = 'https://push.example/abc';

const subscription = {
  kind: 'browser',
  p256dh: Buffer.alloc(65),
  auth: Buffer.alloc(16),
  vapidKeyId: 1,
  confirmation: Buffer.of(),
  expiresAt: READ_AT + 1000,
  failingSince: null,
  goneSince: null,
  refusedCount: 0,
} as const;
const web = { ...due, token: ENDPOINT, subscription };

const delivered: Outcome = { kind: 'delivered', environment: null };
const dead: Outcome = {
  kind: 'dead_token',
  reason: 'HTTP 410',
  deadSince: null,
  ofApp: false,
  isSuspect: false,
};
const refused: Outcome = { kind: 'message_fault', reason: 'HTTP 400', wasSent: true };

const change = (one: typeof due, outcome: typeof dead | typeof delivered | typeof refused) =>
  subscriptionChangeOf(one, { outcome, isPruneAllowed: true });

describe(subscriptionChangeOf.name, () => {
  it('says nothing about a phone', () => {
    expect(change(due, dead)).toBeNull();
  });

  it('removes a dead endpoint, unless too many are dead', () => {
    const endpoint = { kind: 'dead', endpoint: ENDPOINT, since: new Date(READ_AT) };
    expect(change(web, dead)).toEqual({ ...endpoint, vapidKeyId: null });
    expect(change(web, { ...dead, ofApp: true })).toEqual({ ...endpoint, vapidKeyId: 1 });
    expect(subscriptionChangeOf(web, { outcome: dead, isPruneAllowed: false })).toBeNull();
  });

  it('stores what the outcome asks for', () => {
    expect(change(web, refused)).toBeNull();
    expect(change(web, { ...refused, mark: 'refused' })).toEqual({ kind: 'refused', id: 7 });
    const gone = {
      class: 'unclear',
      scope: 'device',
      firstDelayMs: 1,
      retryAfterMs: null,
    } as const;
    const outcome = { kind: 'retry', reason: 'HTTP 404', ...gone, mark: 'gone' } as const;
    expect(subscriptionChangeOf(web, { outcome, isPruneAllowed: false })).toEqual({
      kind: 'gone',
      id: 7,
    });
  });

  it.each([
    ['nothing, for the usual push', {}, false],
    ['that it is alive again', { goneSince: READ_AT - 1 }, true],
    ['the end of refusals', { refusedCount: 2 }, true],
    ['the end of failures', { failingSince: READ_AT - 1 }, true],
  ] as const)('after an accepted push stores %s', (_what, facts, isStored) => {
    const one = { ...web, subscription: { ...subscription, ...facts } };
    expect(change(one, delivered)).toEqual(isStored ? { kind: 'accepted', id: 7 } : null);
  });
});
