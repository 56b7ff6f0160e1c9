import { describe, expect, it } from '@jest/globals';
import type { GroupMentions } from '#chat/messages';
import type { Database, Transaction } from '#platform/database';
import type { DeliveryQueue } from '../delivery-queue.js';
import type {
  MessageNotificationRepository,
  NotificationCandidate,
} from '../message-notification.repository.js';
import { timeToLiveOf } from '../notification.js';
import type { Hold } from '../decision/decision.rules.js';
import type { DeferralRepository, DeferredAccount } from './deferral.repository.js';
import { DeferredDecisions, firstWithin, settled } from './deferred-decisions.js';

/** Accounts with a message each, of which the decision about one fails. */
class World {
  due: number[];
  readonly decided: number[] = [];
  readonly postponed: number[] = [];

  constructor(
    accounts: number,
    private readonly failing: number,
    private readonly code = '57014',
  ) {
    this.due = Array.from({ length: accounts }, (_, index) => index + 1);
  }

  decideAll(): Promise<void> {
    const database = { transaction: (work: (it: object) => unknown) => work({}) };
    const mentions = { of: async () => new Map() };
    const queue = { enqueue: async () => true };
    return new DeferredDecisions(
      database as unknown as Database,
      this as unknown as DeferralRepository,
      { decide: this.decide.bind(this) } as unknown as MessageNotificationRepository,
      mentions as unknown as GroupMentions,
      queue as unknown as DeliveryQueue,
      timeToLiveOf(60_000),
    ).decideAll();
  }

  async lockDue(_: Transaction, limit: number) {
    return this.due.slice(0, limit);
  }

  async read(_: Transaction, userIds: readonly number[]) {
    return userIds.map((userId) => ({
      userId,
      isAway: true,
      awayInSeconds: 0,
      messageIds: [userId],
      mentioningIds: [],
      isCaughtUp: false,
      isReleased: false,
      held: null,
    }));
  }

  async settle(_: Transaction, accounts: readonly { readonly userId: number }[]) {
    this.#remove(accounts.map(({ userId }) => userId));
  }

  async postpone(userIds: readonly number[]) {
    this.postponed.push(...userIds);
    this.#remove(userIds);
  }

  async decide(_: Transaction, candidates: readonly NotificationCandidate[]) {
    if (candidates.some(({ userId }) => userId === this.failing))
      throw Object.assign(new Error('too long'), { code: this.code });
    this.decided.push(...candidates.map(({ userId }) => userId));
    return { accepted: [], decided: candidates.map((one) => ({ ...one, hold: null })) };
  }

  #remove(userIds: readonly number[]) {
    this.due = this.due.filter((id) => !userIds.includes(id));
  }
}

describe(DeferredDecisions, () => {
  it('decides about all accounts', async () => {
    const world = new World(120, 0);
    await world.decideAll();
    expect(world.decided).toHaveLength(120);
  });

  it('postpones no account when PostgreSQL shuts down', async () => {
    const world = new World(120, 70, '57P01');
    await expect(world.decideAll()).rejects.toThrow('too long');
    expect(world.postponed).toEqual([]);
    expect(world.decided).toHaveLength(50);
  });

  it.each([1, 3, 70, 120])(
    'decides about all others if it fails for the account in place %d, which it postpones',
    async (failing) => {
      const world = new World(120, failing);
      await expect(world.decideAll()).rejects.toThrow('too long');
      expect(world.postponed).toEqual([failing]);
      expect(new Set(world.decided).size).toBe(119);
      expect(world.due).toEqual([]);
    },
  );
});

describe(settled, () => {
  const account = (userId: number, messages: number, isCaughtUp = false): DeferredAccount => ({
    userId,
    isAway: true,
    awayInSeconds: 0,
    messageIds: Array.from({ length: messages }, (_, index) => index + 1),
    mentioningIds: [],
    isCaughtUp,
    isReleased: false,
    held: null,
  });
  const decidedOf = ({ userId, messageIds }: DeferredAccount, hold: Hold | null) =>
    messageIds.map((messageId) => {
      const trigger = 'direct' as const;
      return { userId, messageId, hold: messageId === 1 ? null : hold, trigger };
    });

  it('goes on with the next page after messages that quiet hours hold back', () => {
    const hold = { until: 1000, cause: 'quiet_hours' } as const;
    const full = account(1, 100);
    expect(settled([full], decidedOf(full, hold))).toMatchObject([
      { fromMessageId: 101, held: { fromMessageId: 2, hold } },
    ]);
  });

  it('reads no further after a delayed message: all later ones are delayed as well', () => {
    const hold = { until: 1000, cause: 'delayed' } as const;
    const full = account(1, 100);
    expect(settled([full], decidedOf(full, hold))).toMatchObject([
      { fromMessageId: null, held: { fromMessageId: 2, hold } },
    ]);
  });

  it('keeps the first of the messages that are held back, and the first end', () => {
    const held = { fromMessageId: 7, hold: { until: 500, cause: 'delayed' } } as const;
    const one = { ...account(1, 2), held };
    const hold = { until: 1000, cause: 'snoozed' } as const;
    expect(settled([one], decidedOf(one, hold))).toMatchObject([
      { fromMessageId: null, held: { fromMessageId: 2, hold: held.hold } },
    ]);
  });

  it('takes as many accounts as have few enough messages together, but at least one', () => {
    const accounts = [account(1, 1000, true), account(2, 1000, true), account(3, 1)];
    expect(firstWithin(accounts, 5000)).toEqual(accounts);
    expect(firstWithin(accounts, 2000).map(({ userId }) => userId)).toEqual([1, 2]);
    expect(firstWithin(accounts, 10).map(({ userId }) => userId)).toEqual([1]);
  });
});
