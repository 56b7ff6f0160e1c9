import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { type Outcome, outcomeOf, refusal } from '#push/providers';
import {
  delivered,
  deviceThrottled,
  lateAnswer,
  misconfigured,
  temporaryError,
  throttled,
} from './breaker.fixture.js';
import { CircuitBreakers } from './circuit-breakers.js';
import type { QuorumKey } from './provider-signals.rules.js';

const thirdParty = outcomeOf('fcm', refusal({ status: 401, reason: 'THIRD_PARTY_AUTH_ERROR' }));
const noAccess = outcomeOf('fcm', refusal({ status: 403, reason: null }));
const cannotSignIn = outcomeOf('fcm', { kind: 'misconfigured', reason: 'invalid_grant' });
const fcm = { platform: 'fcm', credential: 'project', topic: null } as const;

const failures = [
  ['THIRD_PARTY_AUTH_ERROR', thirdParty],
  ['no access', noAccess],
  ["Apple's InvalidProviderToken", misconfigured],
  ['a throttle with Retry-After', throttled(3_600_000)],
  ['a throttle', throttled(null)],
  ['a throttle of the device', deviceThrottled(null)],
  ['a temporary error', temporaryError],
  [
    'a 503 with Retry-After',
    outcomeOf('fcm', refusal({ status: 503, reason: 'UNAVAILABLE', retryAfterMs: 3_600_000 })),
  ],
  ['late answers', lateAnswer],
] as const;

describe('A breaker that tenants share', () => {
  let now: number;
  let breakers: CircuitBreakers;

  beforeEach(() => {
    now = 1_700_000_000_000;
    breakers = new CircuitBreakers(() => now);
    jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
  });

  const state = () => breakers.of(fcm).status.state;
  /** Null if the breaker rejects the push; otherwise the time of its retry, if the breaker decides. */
  const send = (quorumKey: QuorumKey, outcome: Outcome) => {
    const breaker = breakers.of(fcm);
    const permit = breaker.acquire(quorumKey);
    return permit.kind === 'granted' ? { retryAt: breaker.record(outcome, permit) } : null;
  };
  const networks = (count: number): QuorumKey[] =>
    Array.from({ length: count }, (_, index) => `network 198.51.100.${index}` as const);

  it.each(failures)('does not open for tenants without success: %s', (_what, failure) => {
    for (let round = 0; round < 20; round += 1) {
      for (const network of networks(50)) expect(send(network, failure)).not.toBeNull();
      expect(state()).toBe('closed');
      now += 1000;
    }
  });

  it.each(failures)('does not open for one tenant, however often: %s', (_what, failure) => {
    send('network 192.0.2.1', delivered);
    now += 60_000;
    for (let round = 0; round < 200; round += 1) {
      send('network 192.0.2.1', failure);
      // Another account is never rejected: at most, one push at a time is sent.
      expect(send('account 1', delivered)).not.toBeNull();
      now += 500;
    }
    expect(state()).toBe('closed');
  });

  it.each(failures)('opens for independent tenants that had success: %s', (_what, failure) => {
    for (const network of networks(12)) send(network, delivered);
    now += 60_000;
    for (const network of networks(12)) send(network, failure);
    expect(state()).not.toBe('closed');
  });

  it('delays the pushes of a tenant that does not count', () => {
    expect(send('server 5', thirdParty)).toEqual({ retryAt: now + 60_000 });
    expect(send('server 5', temporaryError)).toEqual({ retryAt: null });
  });

  it('opens if it cannot sign in, whoever sends', () => {
    for (const network of networks(3)) send(network, cannotSignIn);
    expect(state()).toBe('open');
  });

  it('knows the success of a tenant for one credential only', () => {
    const other = breakers.of({ ...fcm, credential: 'other' });
    for (const network of networks(5)) {
      const permit = other.acquire(network);
      if (permit.kind === 'granted') other.record(delivered, permit);
    }
    for (const network of networks(5)) send(network, thirdParty);
    expect(state()).toBe('closed');
  });
});
