import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { NO_CREDENTIAL, refusal } from '#push-transport';
import { outcomeOf } from '../deliver/outcome-policy.rules.js';
import { Gates } from './gates.js';
import { faultOf, ProviderGate } from './provider-gate.js';

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
let sut: ProviderGate;
let logged: Record<'error' | 'warn' | 'log', jest.Mock>;

beforeEach(() => {
  now = 1_000_000;
  sut = new ProviderGate(key, () => now);
  logged = { error: jest.fn(), warn: jest.fn(), log: jest.fn() };
  for (const level of ['error', 'warn', 'log'] as const) {
    jest.spyOn(Logger.prototype, level).mockImplementation(logged[level]);
  }
});

afterEach(() => {
  jest.restoreAllMocks();
});

const settle = (outcome: typeof delivered, users: readonly number[]) =>
  users.map((userId) => sut.settle(outcome, { userId, admittedAt: now }));

describe(ProviderGate.name, () => {
  it('has nothing to tell while all is well', () => {
    expect(sut.admit()).toBeNull();
    settle(delivered, [1]);
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

  it('raises one alarm on a fault of the configuration, and tells when it is over', () => {
    settle(misconfigured, [1, 2, 3, 4]);
    expect(faultOf(sut.status)).toBe('no credentials');
    expect(sut.status).toMatchObject({ state: 'open', cause: 'misconfigured', openedCount: 1 });
    now = sut.status.reopensAt ?? 0;
    expect(sut.admit()).toBeNull();
    expect(sut.status).toMatchObject({ state: 'half_open', reopensAt: null });
    settle(delivered, [1]);
    expect(faultOf(sut.status)).toBeUndefined();
    expect(logged.error).toHaveBeenCalledTimes(1);
    expect(logged.log.mock.calls).toEqual([['Sending again']]);
  });

  it('tells of an outage', () => {
    const comeBack = settle(unanswered, [1, 2, 3, 4, 5]);
    expect(comeBack.slice(0, 4)).toEqual([null, null, null, null]);
    expect(comeBack[4]).toBeGreaterThanOrEqual(sut.status.reopensAt ?? Number.NaN);
    expect(faultOf(sut.status)).toBe('the provider does not answer: deadline');
    expect(logged.warn).toHaveBeenCalledTimes(1);
  });

  it('is not sick while the provider asks it to wait', () => {
    settle(throttled, [1, 2, 3]);
    expect(sut.status).toMatchObject({ state: 'open', cause: 'throttled' });
    expect(faultOf(sut.status)).toBeUndefined();
  });

  it('lets another try in place of one that was not sent', () => {
    settle(unanswered, [1, 2, 3, 4, 5]);
    now = sut.status.reopensAt ?? 0;
    expect(sut.admit()).toBeNull();
    expect(sut.admit()).not.toBeNull();
    sut.forgo({ userId: 1, admittedAt: now });
    expect(sut.admit()).toBeNull();
  });
});

describe(Gates.name, () => {
  it('keeps one gate for each provider and credential', () => {
    const gates = new Gates(() => now);
    const gate = gates.of(key);
    expect(gates.of({ ...key })).toBe(gate);
    expect(gates.of({ ...key, credential: 'other team' })).not.toBe(gate);
    gate.settle(misconfigured, { userId: 1, admittedAt: now });
    expect(gates.statuses()).toMatchObject([
      { platform: 'apns', credential: 'other team', cause: null },
      { platform: 'apns', credential: 'team', cause: 'misconfigured' },
    ]);
  });

  it('tells when a platform may be tried again, if not with any of its credentials at once', () => {
    const gates = new Gates(() => now);
    expect(gates.shutUntil('apns')).toBeNull();
    const gate = gates.of(key);
    for (const userId of [1, 2, 3]) gate.settle(misconfigured, { userId, admittedAt: now });
    const { reopensAt } = gate.status;
    expect(reopensAt).toBeGreaterThan(now);
    expect(gates.shutUntil('apns')).toBe(reopensAt);
    expect(gates.shutUntil('fcm')).toBeNull();
    gates.of({ ...key, credential: 'other team' });
    expect(gates.shutUntil('apns')).toBeNull();
  });

  it('does not hold back what may try when a pause is over', () => {
    const gates = new Gates(() => now);
    const gate = gates.of(key);
    for (const userId of [1, 2, 3]) gate.settle(misconfigured, { userId, admittedAt: now });
    now = gate.status.reopensAt ?? 0;
    expect(gates.shutUntil('apns')).toBeNull();
  });

  it('names the faults of a platform, and forgets those of credentials that are used no more', () => {
    const gates = new Gates(() => now);
    gates.of(key).settle(misconfigured, { userId: 1, admittedAt: now });
    gates.of({ ...key, credential: 'new team' });
    expect(gates.faultsOf('apns')).toEqual(['no credentials']);
    expect(gates.faultsOf('fcm')).toEqual([]);
    now += 599_999;
    gates.of({ ...key, credential: 'new team' });
    expect(gates.statuses()).toHaveLength(2);
    now += 1;
    expect(gates.faultsOf('apns')).toEqual([]);
    expect(gates.statuses()).toMatchObject([{ credential: 'new team' }]);
  });

  it('keeps a topic that the configuration does not name apart, and says nothing of it', () => {
    const gates = new Gates(() => now);
    const ofTopic = (topic: string) => gates.of({ ...key, topic });
    for (const userId of [1, 2, 3]) {
      ofTopic('made-up').settle(topicDisallowed, { userId, admittedAt: now });
    }
    expect(ofTopic('made-up').status.state).toBe('open');
    expect(ofTopic('real').status.state).toBe('closed');
    expect(gates.faultsOf('apns')).toEqual([]);
    expect(gates.statuses()).toMatchObject([{ credential: 'team', state: 'closed' }]);
    expect(gates.shutUntil('apns')).toBeNull();
    expect(logged.error).not.toHaveBeenCalled();
  });

  it('has a fault of the credential for all of its topics, until one of them is answered', () => {
    const gates = new Gates(() => now);
    for (const userId of [1, 2, 3]) {
      gates.of({ ...key, topic: 'one' }).settle(misconfigured, { userId, admittedAt: now });
    }
    expect(gates.faultsOf('apns')).toEqual(['no credentials']);
    expect(gates.statuses()).toMatchObject([{ credential: 'team', state: 'open' }]);
    now += 1;
    gates.of({ ...key, topic: 'other' }).settle(delivered, { userId: 4, admittedAt: now });
    expect(gates.faultsOf('apns')).toEqual([]);
  });

  it('is well while only topics without any credential fail', () => {
    const gates = new Gates(() => now);
    const foreign = { platform: 'apns', credential: NO_CREDENTIAL, topic: 'any' } as const;
    for (const userId of [1, 2, 3])
      gates.of(foreign).settle(misconfigured, { userId, admittedAt: now });
    expect(gates.faultsOf('apns')).toEqual([]);
    expect(gates.statuses()).toEqual([]);
  });

  it('forgets no credential for the topics that phones make up', () => {
    const gates = new Gates(() => now);
    gates.of(key).settle(misconfigured, { userId: 1, admittedAt: now });
    for (let topic = 0; topic < 1000; topic += 1) gates.of({ ...key, topic: `t${topic}` });
    expect(gates.faultsOf('apns')).toEqual(['no credentials']);
    expect(gates.statuses()).toHaveLength(1);
  });
});
