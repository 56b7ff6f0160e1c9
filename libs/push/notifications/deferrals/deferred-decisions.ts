import { Inject, Injectable } from '@nestjs/common';
import { GroupMentions } from '#chat/messages';
import { isStoreDown, PeriodicService, PeriodicTask } from '#platform/core';
import { Database, type Transaction } from '#platform/database';
import { type AcceptedDeliveries, devicesOf } from '../acceptance.repository.js';
import { DeliveryQueue } from '../delivery-queue.js';
import {
  type DecidedMessage,
  MessageNotificationRepository,
  type NotificationCandidate,
} from '../message-notification.repository.js';
import { TIME_TO_LIVE, type TimeToLive } from '../notification.js';
import {
  type DeferredAccount,
  DeferralRepository,
  type HeldMessages,
  type SettledAccount,
} from './deferral.repository.js';

const EVERY_MS = 1000;
/** The accounts of one transaction. New messages to them wait for its end. */
const PAGE_ACCOUNTS = 50;
/** The messages of an account in one transaction. */
const PAGE_MESSAGES = 100;
/** The messages of all accounts in one transaction: readers of the messages wait for its end. */
const MOST_MESSAGES = PAGE_ACCOUNTS * PAGE_MESSAGES;
/** A transaction that held a row of a message has ended then. */
const RETRY_SECONDS = 2;
/** Due times are rounded to seconds: this one has come, however it is rounded. */
const AT_ONCE_SECONDS = -1;

/** An account whose decision fails, whatever the reason, is tried again after this time. */
const POSTPONED_SECONDS = 60;

/** The accounts of a transaction. */
interface DecidedPage {
  /** Whether no account is due any more. */
  readonly isLast: boolean;
  readonly accepted: readonly AcceptedDeliveries[];
}

/** The accounts of a transaction that failed. */
interface FailedPage {
  readonly userIds: readonly number[];
  readonly error: unknown;
}

/**
 * Decides again about messages that came while their recipient was active or wanted quiet: the recipient is notified of those that
 * are still unread and wanted after leaving, or after the quiet time. Any number of workers share the accounts, and a killed one neither skips nor repeats any.
 */
@Injectable()
export class DeferredDecisions extends PeriodicService {
  protected readonly task = new PeriodicTask(EVERY_MS, () => this.decideAll(), {
    failure: 'Messages for people who have left were not decided',
    pausePerRun: 0,
  });

  constructor(
    private readonly database: Database,
    private readonly deferrals: DeferralRepository,
    private readonly notifications: MessageNotificationRepository,
    private readonly mentions: GroupMentions,
    private readonly queue: DeliveryQueue,
    @Inject(TIME_TO_LIVE) private readonly timeToLive: TimeToLive,
  ) {
    super();
  }

  /**
   * Decides about all accounts that are due. Rejects when PostgreSQL is down, and at the end if the decision about an account
   * has failed.
   */
  async decideAll(): Promise<void> {
    let devicesBefore = 0;
    let most = PAGE_ACCOUNTS;
    const failures: unknown[] = [];
    while (!this.task.isStopping) {
      const page = await this.#decideNext(most);
      if ('error' in page) {
        // The accounts that are due first are the same in the next pass: one of them must not stop all others for ever.
        if (page.userIds.length === 1) {
          await this.deferrals.postpone(page.userIds, POSTPONED_SECONDS);
          failures.push(page.error);
        }
        most = 1;
        continue;
      }
      // The sweeper finds deliveries without a job. Many people may leave at once: their notifications must not delay others.
      await this.queue.enqueue(page.accepted, { devicesBefore });
      devicesBefore += devicesOf(page.accepted);
      if (page.isLast) break;
    }
    if (failures.length > 0) throw failures[0];
  }

  async #decideNext(most: number): Promise<DecidedPage | FailedPage> {
    let userIds: readonly number[] = [];
    try {
      return await this.database.transaction(async (transaction) => {
        userIds = await this.deferrals.lockDue(transaction, most);
        const page = await this.#decidePage(transaction, userIds);
        return { ...page, isLast: page.isLast && userIds.length < most };
      });
    } catch (error) {
      if (isStoreDown(error) || userIds.length === 0) throw error;
      return { userIds, error };
    }
  }

  async #decidePage(transaction: Transaction, userIds: readonly number[]): Promise<DecidedPage> {
    if (userIds.length === 0) return { isLast: true, accepted: [] };
    // After the lock: this statement sees every message that was announced before.
    const due = await this.deferrals.read(transaction, userIds, PAGE_MESSAGES);
    const accounts = firstWithin(due, MOST_MESSAGES);
    const candidates = await this.#candidatesOf(transaction, accounts);
    const { accepted, decided } = await this.#decide(transaction, candidates);
    await this.deferrals.settle(transaction, settled(accounts, decided));
    const isLast = accounts.length === due.length && !accounts.some((one) => hasMore(one, decided));
    return { isLast, accepted };
  }

  async #candidatesOf(
    transaction: Transaction,
    accounts: readonly DeferredAccount[],
  ): Promise<NotificationCandidate[]> {
    const away = accounts.filter(({ isAway }) => isAway);
    const mentioning = [...new Set(away.flatMap(({ mentioningIds }) => mentioningIds))];
    const userIds = away.map(({ userId }) => userId);
    const groups = await this.mentions.of(mentioning, userIds, transaction);
    return away.flatMap(({ userId, messageIds, isCaughtUp }) =>
      messageIds.map((messageId) => ({
        userId,
        messageId,
        groupId: groups.get(messageId)?.get(userId) ?? null,
        isCaughtUp,
        replaces: null,
      })),
    );
  }

  async #decide(transaction: Transaction, candidates: readonly NotificationCandidate[]) {
    if (candidates.length === 0) return { accepted: [], decided: [] };
    const options = { timeToLiveMs: this.timeToLive.message, traceParent: null };
    return this.notifications.decide(transaction, candidates, options);
  }
}

/** The state of the accounts after a decision about some of their messages. */
export function settled(
  accounts: readonly DeferredAccount[],
  decided: readonly DecidedMessage[],
): SettledAccount[] {
  const keys = new Map(decided.map((one) => [`${one.userId} ${one.messageId}`, one]));
  return accounts.map((account) => {
    const { userId, isAway, isReleased, awayInSeconds, messageIds } = account;
    const [first = null] = messageIds;
    if (!isAway) {
      const inSeconds = Math.max(awayInSeconds, 0);
      return { userId, fromMessageId: first, inSeconds, isReleased, held: account.held };
    }
    const held = heldBy(
      account.held,
      messageIds.flatMap((messageId) => keys.get(`${userId} ${messageId}`) ?? []),
    );
    const left = messageIds.find((messageId) => !keys.has(`${userId} ${messageId}`));
    if (left !== undefined) {
      return { userId, fromMessageId: left, inSeconds: RETRY_SECONDS, isReleased, held };
    }
    const next = hasMore(account, decided) ? Number(messageIds.at(-1)) + 1 : null;
    return { userId, fromMessageId: next, inSeconds: AT_ONCE_SECONDS, isReleased, held };
  });
}

/** What an account holds back after a decision: from the first message on, until the first end. */
function heldBy(
  before: HeldMessages | null,
  decided: readonly DecidedMessage[],
): HeldMessages | null {
  return decided.reduce<HeldMessages | null>((held, { messageId, hold }) => {
    if (hold === null) return held;
    if (held === null) return { fromMessageId: messageId, hold };
    return {
      fromMessageId: Math.min(held.fromMessageId, messageId),
      hold: hold.until < held.hold.until ? hold : held.hold,
    };
  }, before);
}

/**
 * Whether an account may have further messages to decide about. After a message that is delayed, all later ones are held back at
 * least as long.
 */
const hasMore = (
  { userId, messageIds, isCaughtUp }: DeferredAccount,
  decided: readonly DecidedMessage[],
): boolean =>
  !isCaughtUp &&
  messageIds.length === PAGE_MESSAGES &&
  !decided.some((one) => one.userId === userId && one.hold?.cause === 'delayed');

/** The first accounts that have at most so many messages together, but at least one. */
export function firstWithin(
  accounts: readonly DeferredAccount[],
  mostMessages: number,
): readonly DeferredAccount[] {
  let messages = 0;
  const fits = ({ messageIds }: DeferredAccount): boolean => {
    messages += messageIds.length;
    return messages <= mostMessages;
  };
  const end = accounts.findIndex((account) => !fits(account));
  return end === -1 ? accounts : accounts.slice(0, Math.max(end, 1));
}
