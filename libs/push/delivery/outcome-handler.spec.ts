import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { PushObserver } from '#push/observability';
import { NO_RECIPIENT, type OutgoingPush, refusal } from '#push/providers';
import type { DueDelivery } from './delivery-claim.repository.js';
import type { DeliveryRecord, DeliveryRecordRepository } from './delivery-record.repository.js';
import type { AnswerListener } from './answer-listener.js';
import type { PushFeedback } from './feedback/push-feedback.js';
import type { DeliveryReturnRepository } from './delivery-return.repository.js';
import { OutcomeHandler } from './outcome-handler.js';

const NOW = 1_700_000_000_000;
const due = {
  kind: 'due',
  notificationId: 'n',
  deviceId: 7,
  platform: 'apns',
  attempts: 0,
  mayBeShown: false,
  userId: 3,
  content: { kind: 'test', time: 1 },
} as unknown as DueDelivery;
const push: OutgoingPush = {
  notificationId: 'n',
  deliveryId: 'd',
  token: 'ABCDEF',
  appId: null,
  environment: null,
  expiresAt: NOW,
  recipient: NO_RECIPIENT,
  content: { kind: 'test', time: 1 },
  isWithdrawn: () => false,
};

describe(OutcomeHandler.name, () => {
  const records: DeliveryRecord[] = [];
  const answered = jest.fn<AnswerListener['answered']>();
  const returns = {} as DeliveryReturnRepository;
  const observer = { delayedByBreaker: jest.fn(), ended: jest.fn(), retried: jest.fn() };
  const sut = new OutcomeHandler(
    {
      record: async (record: DeliveryRecord) => {
        records.push(record);
        return null;
      },
    } as unknown as DeliveryRecordRepository,
    returns,
    { answered },
    observer as unknown as PushObserver,
    { mayReport: () => false } as unknown as PushFeedback,
    () => NOW,
  );

  beforeEach(() => {
    records.length = 0;
    jest.clearAllMocks();
  });

  it('retries a push that could not be made, as an attempt', async () => {
    const progress = await sut.handle(due, { kind: 'failed' });
    expect(progress).toMatchObject({ state: 'pending', behindForMs: null });
    const [record] = records;
    expect(record).toMatchObject({ state: 'pending', isAttempt: true, reason: 'internal error' });
    expect(record?.dueAt?.getTime()).toBeGreaterThanOrEqual(NOW + 1000);
    expect(observer.retried).toHaveBeenCalledTimes(1);
  });

  it('gives up a push that can never be made', async () => {
    await sut.handle({ ...due, attempts: 199 }, { kind: 'failed' });
    expect(records).toMatchObject([{ state: 'rejected', deadLetter: { payload: null } }]);
  });

  it('tells an end before it is recorded, and no retry', async () => {
    const order: string[] = [];
    const handler = new OutcomeHandler(
      { record: async () => void order.push('recorded') } as unknown as DeliveryRecordRepository,
      returns,
      { answered },
      observer as unknown as PushObserver,
      {
        mayReport: (state: string) => state !== 'revoked',
        ended: async () => void order.push('told'),
      } as unknown as PushFeedback,
    );
    await handler.handle(due, { kind: 'failed' });
    await handler.handle({ ...due, attempts: 199 }, { kind: 'failed' });
    await handler.handle(due, { kind: 'withdrawn' });
    // Nobody asks for it.
    await handler.handle(due, { kind: 'revoked' });
    expect(order).toEqual(['recorded', 'told', 'recorded', 'told', 'recorded', 'recorded']);
  });

  it('counts no attempt for a push that waits for the circuit breaker', async () => {
    const until = NOW + 5000;
    const reason = 'TopicDisallowed';
    const unsent = { answer: null, mayBeShown: false };
    await sut.handle(due, { kind: 'delayed', push, ...unsent, until, reason });
    expect(records).toMatchObject([{ state: 'pending', isAttempt: false, reason }]);
    expect(records[0]?.dueAt?.getTime()).toBeGreaterThanOrEqual(until);
    expect(answered).not.toHaveBeenCalled();
  });

  it('passes an answer on also if the push waits', async () => {
    const answer = refusal({ status: 503, reason: null });
    const waits = { kind: 'delayed', mayBeShown: true, until: NOW, reason: 'x' } as const;
    await sut.handle(due, { ...waits, push, answer });
    expect(answered).toHaveBeenCalledWith(due, answer);
  });

  it.each([
    [false, false, false],
    [false, true, true],
    [true, false, true],
  ])(
    'records whether a push that waits for the circuit breaker may be shown: before %s, now %s',
    async (before, now, expected) => {
      const waits = { kind: 'delayed', push, answer: null, until: NOW, reason: 'x' } as const;
      await sut.handle({ ...due, mayBeShown: before }, { ...waits, mayBeShown: now });
      expect(records).toMatchObject([{ state: 'pending', mayBeShown: expected }]);
    },
  );

  it.each([true, false])(
    'keeps whether a push may be shown where nothing is sent: %s',
    async (mayBeShown) => {
      const before = { ...due, mayBeShown };
      const { platform, content, acceptedAt } = due;
      await sut.handle(before, { kind: 'withdrawn' });
      await sut.handle(before, { kind: 'revoked' });
      await sut.handle(before, { kind: 'awaits_removal' });
      await sut.handle(before, { kind: 'failed' });
      const claim = { kind: 'expired', platform, content, acceptedAt, mayBeShown } as const;
      await sut.handleClaim(due, claim);
      expect(records.map((record) => record.mayBeShown)).toEqual(
        Array.from({ length: 5 }, () => mayBeShown),
      );
    },
  );
});
