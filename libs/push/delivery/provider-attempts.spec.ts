import { beforeEach, describe, expect, it } from '@jest/globals';
import { Metrics } from '#platform/telemetry';
import { CircuitBreakers, TokenPruneGuard } from '#push/breakers';
import { InFlightPushes } from '#push/observability';
import {
  NO_RECIPIENT,
  type OutgoingPush,
  type ProviderAnswer,
  type PushTransport,
  refusal,
} from '#push/providers';
import type { RevokedPushes } from '#push/revocations';
import { ProviderAttempts } from './provider-attempts.js';

const NOW = 1_700_000_000_000;

const push: OutgoingPush = {
  notificationId: 'n',
  deliveryId: 'd',
  token: 'ABCDEF',
  appId: 'org.example.chat',
  environment: null,
  expiresAt: NOW + 60_000,
  recipient: NO_RECIPIENT,
  content: { kind: 'test', time: 1 },
  isWithdrawn: () => false,
};
const accepted: ProviderAnswer = { kind: 'accepted' };
const wrongTopic = refusal({ status: 400, reason: 'DeviceTokenNotForTopic' });
const misconfigured: ProviderAnswer = { kind: 'misconfigured', reason: 'no credentials' };

describe(ProviderAttempts.name, () => {
  let answer: ProviderAnswer;
  let sent: number;
  let breakers: CircuitBreakers;
  let sut: ProviderAttempts;

  beforeEach(() => {
    answer = accepted;
    sent = 0;
    const clock = () => NOW;
    breakers = new CircuitBreakers(clock);
    const revoked: Pick<RevokedPushes, 'track'> = { track: (_subjects, sending) => sending };
    sut = new ProviderAttempts(
      breakers,
      new TokenPruneGuard(clock),
      new InFlightPushes(new Metrics()),
      revoked as RevokedPushes,
      clock,
    );
  });

  const transport: Pick<PushTransport, 'send'> = {
    send: async () => {
      sent += 1;
      return answer;
    },
  };
  const sendTo = (userId: number, one = push, platform: 'apns' | 'fcm' = 'apns') =>
    sut.send(transport as PushTransport, {
      push: one,
      platform,
      notificationId: 'n',
      number: 1,
      traceParent: null,
      quorumKey: `account ${userId}`,
      appId: 'org.example.chat',
      serverId: null,
      ownerId: userId,
      subjects: [],
    });

  it('concludes an accepted push', async () => {
    expect(await sendTo(1)).toEqual({
      kind: 'concluded',
      push,
      answer,
      outcome: { kind: 'delivered', environment: null },
      isPruneAllowed: false,
      nextAt: NOW,
    });
  });

  it('allows the removal of two tokens when all are called dead, and of no more', async () => {
    answer = wrongTopic;
    const allowed: unknown[] = [];
    for (let userId = 1; userId <= 12; userId += 1) {
      const result = await sendTo(userId);
      if (result.kind === 'concluded' && result.isPruneAllowed) allowed.push(userId);
    }
    expect(allowed).toEqual([1, 2]);
  });

  it('counts tokens that are alive for that as well', async () => {
    await sendTo(100);
    answer = wrongTopic;
    await sendTo(1);
    await sendTo(2);
    expect(await sendTo(3)).toMatchObject({ kind: 'concluded', isPruneAllowed: true });
  });

  it('dates the next attempt of a push that may be repeated', async () => {
    answer = refusal({ status: 429, reason: 'TooManyRequests', retryAfterMs: 90_000 });
    const result = await sendTo(1);
    if (result.kind !== 'concluded') throw new Error(result.kind);
    expect(result.nextAt).toBeGreaterThanOrEqual(NOW + 90_000);
    expect(result.nextAt).toBeLessThanOrEqual(NOW + 135_000);
  });

  it('delays a push that shows a wrong configuration, and later ones without sending them', async () => {
    answer = misconfigured;
    const reason = 'no credentials';
    expect(await sendTo(1)).toMatchObject({ kind: 'delayed', answer, mayBeShown: false, reason });
    for (let userId = 2; userId < 20; userId += 1) await sendTo(userId);
    const before = sent;
    expect(await sendTo(20)).toEqual({
      kind: 'delayed',
      push,
      answer: null,
      mayBeShown: false,
      until: breakers.statuses()[0]?.reopensAt,
      reason,
    });
    expect(sent).toBe(before);
    expect(before).toBeLessThan(19);
  });

  it('tells that a push whose failure opens the circuit breaker may be shown', async () => {
    answer = { kind: 'unanswered', reason: 'deadline', wasSent: true };
    const results = [];
    for (let userId = 1; userId <= 30; userId += 1) results.push(await sendTo(userId));
    const delayed = results.filter((result) => result.kind === 'delayed');
    expect(delayed.length).toBeGreaterThan(1);
    expect(delayed.map(({ mayBeShown }) => mayBeShown)).toEqual(
      delayed.map((result) => result.answer !== null),
    );
    expect(delayed[0]).toMatchObject({ answer, mayBeShown: true });
  });

  const unanswered = (late?: ProviderAnswer): ProviderAnswer => ({
    kind: 'unanswered',
    reason: 'deadline',
    wasSent: true,
    ...(late && { late: Promise.resolve(late) }),
  });

  it.each([
    ['an acceptance', accepted, { kind: 'delivered' }],
    ['a dead token', refusal({ status: 404, reason: 'UNREGISTERED' }), { kind: 'dead_token' }],
    ['an error', refusal({ status: 503, reason: 'UNAVAILABLE' }), { class: 'temporary' }],
    ['nothing', unanswered(), { class: 'unanswered' }],
  ])('concludes with a late answer: %s', async (_what, late, outcome) => {
    answer = unanswered(late);
    expect(await sendTo(1, push, 'fcm')).toMatchObject({ kind: 'concluded', outcome });
  });

  it('counts late answers as none for the breaker, which opens', async () => {
    answer = unanswered(accepted);
    for (let userId = 1; userId <= 5; userId += 1) {
      expect(await sendTo(userId, push, 'fcm')).toMatchObject({ outcome: { kind: 'delivered' } });
    }
    expect(breakers.statuses()[0]?.state).toBe('open');
  });

  it.each([
    ['no answer', unanswered(), 5],
    ['a 503', refusal({ status: 503, reason: 'UNAVAILABLE' }), 10],
    ['a 503 with Retry-After', refusal({ status: 503, reason: null, retryAfterMs: 60_000 }), 3],
  ] as const)(
    'counts attempts at Google also when they open the breaker: %s',
    async (_, one, most) => {
      answer = one;
      for (let userId = 1; userId <= most; userId += 1) {
        const result = await sendTo(userId, push, 'fcm');
        if (result.kind !== 'concluded') throw new Error(result.kind);
        expect(result.nextAt).toBeGreaterThanOrEqual(NOW + 10_000);
        const until = breakers.statuses()[0]?.reopensAt ?? 0;
        expect(result.nextAt).toBeGreaterThanOrEqual(until);
      }
      expect(breakers.statuses()[0]?.state).toBe('open');
    },
  );

  it('gives back the permit of a withdrawn push', async () => {
    answer = { kind: 'withdrawn' };
    expect(await sendTo(1)).toEqual({ kind: 'revoked' });
    answer = accepted;
    expect(await sendTo(1)).toMatchObject({ kind: 'concluded' });
  });

  it('interprets the answer of a push service as one', async () => {
    answer = refusal({ status: 400, reason: 'DELETED_BY_SERVICE' });
    const relayed = { ...push, relayedFor: {} as NonNullable<OutgoingPush['relayedFor']> };
    expect(await sendTo(1, relayed)).toMatchObject({ outcome: { kind: 'dead_token' } });
  });

  describe('with a push service', () => {
    const relayed = { ...push, relayedFor: {} as NonNullable<OutgoingPush['relayedFor']> };
    let accounts = 0;
    /** The pushes of one request, each to another account. */
    const sendRequest = (pushes: number) =>
      Promise.all(Array.from({ length: pushes }, () => sendTo((accounts += 1), relayed)));
    const state = () => breakers.statuses()[0]?.state;

    it.each([
      ['no answer', (): ProviderAnswer => ({ kind: 'unanswered', reason: 'connection' }), 5],
      ['an error', () => refusal({ status: 500, reason: null }), 10],
    ] as const)('counts a request with many pushes once for %s', async (_, failure, most) => {
      for (let failed = 1; failed < most; failed += 1) {
        answer = failure();
        await sendRequest(12);
      }
      expect(state()).toBe('closed');
      answer = failure();
      const results = await sendRequest(12);
      expect(results).toEqual(results.map(() => expect.objectContaining({ kind: 'delayed' })));
      expect(state()).toBe('open');
    });

    it('obeys a pause that one answer asks for', async () => {
      answer = refusal({ status: 429, reason: null, retryAfterMs: 60_000 });
      await sendRequest(3);
      expect(state()).toBe('open');
    });
  });
});
