import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { NO_CREDENTIAL, outcomeOf, refusal } from '#push/providers';
import { CircuitBreaker, CircuitBreakers, faultOf } from './circuit-breakers.js';

const delivered = outcomeOf('apns', { kind: 'accepted' });
const unanswered = outcomeOf('apns', { kind: 'unanswered', reason: 'deadline' });
const misconfigured = outcomeOf('apns', { kind: 'misconfigured', reason: 'no credentials' });
const topicDisallowed = outcomeOf('apns', refusal({ status: 400, reason: 'TopicDisallowed' }));
const throttled = outcomeOf(
  'fcm',
  refusal({ status: 429, reason: 'QUOTA_EXCEEDED', retryAfterMs: 9000 }),
);
const key = { platform: 'apns', credential: 'team', topic: null } as const;

let now: number;
let sut: CircuitBreaker;
let logged: Record<'error' | 'warn' | 'log', jest.Mock>;

beforeEach(() => {
  now = 1_000_000;
  sut = new CircuitBreaker(key, () => now);
  logged = { error: jest.fn(), warn: jest.fn(), log: jest.fn() };
  for (const level of ['error', 'warn', 'log'] as const) {
    jest.spyOn(Logger.prototype, level).mockImplementation(logged[level]);
  }
});

afterEach(() => {
  jest.restoreAllMocks();
});

const permitOf = (userId: number) =>
  ({ kind: 'granted', quorumKey: `account ${userId}`, acquiredAt: now }) as const;
const record = (outcome: typeof delivered, users: readonly number[]) =>
  users.map((userId) => sut.record(outcome, permitOf(userId)));

describe(CircuitBreaker.name, () => {
  it('logs nothing in normal operation', () => {
    expect(sut.acquire('account 1')).toEqual(permitOf(1));
    record(delivered, [1]);
    expect(faultOf(sut.status)).toBeUndefined();
    expect(sut.status).toEqual({
      state: 'closed',
      cause: null,
      reason: null,
      since: null,
      reopensAt: null,
      openedCount: 0,
    });
  });

  it('logs one error for a wrong configuration, and the recovery', () => {
    record(misconfigured, [1, 2, 3, 4]);
    expect(faultOf(sut.status)).toBe('no credentials');
    expect(sut.status).toMatchObject({ state: 'open', cause: 'misconfigured', openedCount: 1 });
    now = sut.status.reopensAt ?? 0;
    expect(sut.acquire('account 1')).toEqual(permitOf(1));
    expect(sut.status).toMatchObject({ state: 'half_open', reopensAt: null });
    record(delivered, [1]);
    expect(faultOf(sut.status)).toBeUndefined();
    expect(logged.error).toHaveBeenCalledTimes(1);
    expect(logged.log.mock.calls).toEqual([['Sending again']]);
  });

  it.each([
    ['an error for a wrong credential', 'team', 'InvalidProviderToken', 'error'],
    [
      'a warning for a topic that the credential does not permit',
      'team',
      'TopicDisallowed',
      'warn',
    ],
    ['a warning for a topic without a credential', NO_CREDENTIAL, 'Forbidden', 'warn'],
  ] as const)('logs %s, of unconfigured topics', (_what, credential, reason, level) => {
    sut = new CircuitBreaker({ ...key, credential, topic: 'digest' }, () => now);
    record(outcomeOf('apns', refusal({ status: 403, reason })), [1, 2, 3]);
    const { error, warn } = logged;
    expect([error.mock.calls.length, warn.mock.calls.length]).toEqual(
      level === 'error' ? [1, 0] : [0, 1],
    );
    expect(logged[level].mock.calls[0]?.[0]).toContain(reason);
  });

  it('logs an outage', () => {
    const comeBack = record(unanswered, [1, 2, 3, 4, 5]);
    expect(comeBack.slice(0, 4)).toEqual([null, null, null, null]);
    expect(comeBack[4]).toBeGreaterThanOrEqual(sut.status.reopensAt ?? Number.NaN);
    expect(faultOf(sut.status)).toBe('the provider does not answer: deadline');
    expect(logged.warn).toHaveBeenCalledTimes(1);
  });

  it('reports no fault while throttled', () => {
    record(throttled, [1, 2, 3]);
    expect(sut.status).toMatchObject({ state: 'open', cause: 'throttled' });
    expect(faultOf(sut.status)).toBeUndefined();
  });

  it('gives the permit of an unsent push to another one', () => {
    record(unanswered, [1, 2, 3, 4, 5]);
    now = sut.status.reopensAt ?? 0;
    expect(sut.acquire('account 1')).toEqual(permitOf(1));
    expect(sut.acquire('account 1')).toMatchObject({ kind: 'rejected', reason: 'deadline' });
    sut.release(permitOf(1));
    expect(sut.acquire('account 1')).toEqual(permitOf(1));
  });
});

describe(CircuitBreakers.name, () => {
  it('keeps one breaker for each provider and credential', () => {
    const breakers = new CircuitBreakers(() => now);
    const breaker = breakers.of(key);
    expect(breakers.of({ ...key })).toBe(breaker);
    expect(breakers.of({ ...key, credential: 'other team' })).not.toBe(breaker);
    breaker.record(misconfigured, permitOf(1));
    expect(breakers.statuses()).toMatchObject([
      { platform: 'apns', credential: 'other team', cause: null },
      { platform: 'apns', credential: 'team', cause: 'misconfigured' },
    ]);
  });

  it('returns the end of the pause only if all credentials of a platform are open', () => {
    const breakers = new CircuitBreakers(() => now);
    expect(breakers.openUntil('apns')).toBeNull();
    const breaker = breakers.of(key);
    for (const userId of [1, 2, 3]) breaker.record(misconfigured, permitOf(userId));
    const { reopensAt } = breaker.status;
    expect(reopensAt).toBeGreaterThan(now);
    expect(breakers.openUntil('apns')).toBe(reopensAt);
    expect(breakers.openUntil('fcm')).toBeNull();
    breakers.of({ ...key, credential: 'other team' });
    expect(breakers.openUntil('apns')).toBeNull();
  });

  it('returns no pause for topics that the configuration does not name', () => {
    const breakers = new CircuitBreakers(() => now);
    const unconfigured = breakers.of({ ...key, credential: 'no credential', topic: 'made up' });
    for (const userId of [1, 2, 3]) unconfigured.record(misconfigured, permitOf(userId));
    expect(unconfigured.status.state).toBe('open');
    expect(breakers.openUntil('apns')).toBeNull();
  });

  it('returns no time after the end of a pause', () => {
    const breakers = new CircuitBreakers(() => now);
    const breaker = breakers.of(key);
    for (const userId of [1, 2, 3]) breaker.record(misconfigured, permitOf(userId));
    now = breaker.status.reopensAt ?? 0;
    expect(breakers.openUntil('apns')).toBeNull();
  });

  it('returns the faults of a platform without those of replaced credentials', () => {
    const breakers = new CircuitBreakers(() => now);
    breakers.of(key).record(misconfigured, permitOf(1));
    breakers.of({ ...key, credential: 'new team' });
    expect(breakers.faultsOf('apns')).toEqual(['no credentials']);
    expect(breakers.faultsOf('fcm')).toEqual([]);
    now += 599_999;
    breakers.of({ ...key, credential: 'new team' });
    expect(breakers.statuses()).toHaveLength(2);
    now += 1;
    expect(breakers.faultsOf('apns')).toEqual([]);
    expect(breakers.statuses()).toMatchObject([{ credential: 'new team' }]);
  });

  it('separates unconfigured topics, and reports no fault for them', () => {
    const breakers = new CircuitBreakers(() => now);
    const ofTopic = (topic: string) => breakers.of({ ...key, topic });
    for (const userId of [1, 2, 3]) {
      ofTopic('made-up').record(topicDisallowed, permitOf(userId));
    }
    expect(ofTopic('made-up').status.state).toBe('open');
    expect(ofTopic('real').status.state).toBe('closed');
    expect(breakers.faultsOf('apns')).toEqual([]);
    expect(breakers.statuses()).toMatchObject([{ credential: 'team', state: 'closed' }]);
    expect(breakers.openUntil('apns')).toBeNull();
    expect(logged.error).not.toHaveBeenCalled();
  });

  it('reports a fault of a credential for all of its topics, until one of them is answered', () => {
    const breakers = new CircuitBreakers(() => now);
    for (const userId of [1, 2, 3]) {
      breakers.of({ ...key, topic: 'one' }).record(misconfigured, permitOf(userId));
    }
    expect(breakers.faultsOf('apns')).toEqual(['no credentials']);
    expect(breakers.statuses()).toMatchObject([{ credential: 'team', state: 'open' }]);
    now += 1;
    breakers.of({ ...key, topic: 'other' }).record(delivered, permitOf(4));
    expect(breakers.faultsOf('apns')).toEqual([]);
  });

  it('reports no fault while only topics without a credential fail', () => {
    const breakers = new CircuitBreakers(() => now);
    const unconfigured = { platform: 'apns', credential: NO_CREDENTIAL, topic: 'any' } as const;
    for (const userId of [1, 2, 3])
      breakers.of(unconfigured).record(misconfigured, permitOf(userId));
    expect(breakers.faultsOf('apns')).toEqual([]);
    expect(breakers.statuses()).toEqual([]);
  });

  it('keeps credentials when clients register many made-up topics', () => {
    const breakers = new CircuitBreakers(() => now);
    breakers.of(key).record(misconfigured, permitOf(1));
    for (let topic = 0; topic < 1000; topic += 1) breakers.of({ ...key, topic: `t${topic}` });
    expect(breakers.faultsOf('apns')).toEqual(['no credentials']);
    expect(breakers.statuses()).toHaveLength(1);
  });
});
