import { Inject, Injectable } from '@nestjs/common';
import { GroupMentions } from '#chat/messages';
import { isStoreDown, PeriodicService, PeriodicTask } from '#platform/core';
import { Database, type Transaction } from '#platform/database';
import { type AcceptedDeliveries, devicesOf } from '../acceptance.repository.js';
import { REMINDED_TRIGGERS } from '../decision/decision.rules.js';
import { DeliveryQueue } from '../delivery-queue.js';
import {
  type DecidedMessage,
  MessageNotificationRepository,
} from '../message-notification.repository.js';
import { TIME_TO_LIVE, type TimeToLive } from '../notification.js';
import {
  type DueReminder,
  type RemindedAccount,
  ReminderRepository,
} from './reminder.repository.js';
import { nextReminder, type Reminded } from './reminders.rules.js';

const EVERY_MS = 1000;

/** An account whose reminders fail, whatever the reason, is tried again after this time. */
const POSTPONED_SECONDS = 60;

type Reminding = { readonly accepted: readonly AcceptedDeliveries[] } | { readonly error: unknown };

/**
 * Notifies accounts again of messages that phones show and that are still unread. All rules of a new message are applied again.
 * Any number of workers share the accounts, and a killed one neither skips nor repeats a reminder.
 */
@Injectable()
export class DueReminders extends PeriodicService {
  protected readonly task = new PeriodicTask(EVERY_MS, () => this.remindAll(), {
    failure: 'Reminders of unread messages were not sent',
    pausePerRun: 0,
  });

  constructor(
    private readonly database: Database,
    private readonly reminders: ReminderRepository,
    private readonly notifications: MessageNotificationRepository,
    private readonly mentions: GroupMentions,
    private readonly queue: DeliveryQueue,
    @Inject(TIME_TO_LIVE) private readonly timeToLive: TimeToLive,
  ) {
    super();
  }

  /** Reminds all accounts that are due. Rejects when PostgreSQL is down, and at the end if an account has failed. */
  async remindAll(): Promise<void> {
    const failures: unknown[] = [];
    let devicesBefore = 0;
    while (!this.task.isStopping) {
      const reminding = await this.#remindNext();
      if (reminding === null) break;
      if ('error' in reminding) failures.push(reminding.error);
      else {
        // A message to a group may be due for many at once: its reminders must not delay other notifications.
        await this.queue.enqueue(reminding.accepted, { devicesBefore });
        devicesBefore += devicesOf(reminding.accepted);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Null if no account is due. A failing account is postponed: it must not stop the others. */
  async #remindNext(): Promise<Reminding | null> {
    let userId: number | null = null;
    try {
      return await this.database.transaction(async (transaction) => {
        userId = await this.reminders.lockDue(transaction);
        return userId === null ? null : { accepted: await this.#remind(transaction, userId) };
      });
    } catch (error) {
      if (isStoreDown(error) || userId === null) throw error;
      await this.reminders.postpone(userId, POSTPONED_SECONDS);
      return { error };
    }
  }

  async #remind(transaction: Transaction, userId: number): Promise<readonly AcceptedDeliveries[]> {
    // After the lock: these statements see what an earlier worker has settled.
    const account = await this.reminders.account(transaction, userId);
    const due = await this.reminders.due(transaction, userId);
    const open = account !== null && mayRemind(account) ? due.filter(isToShow) : [];
    const { accepted, decided } = await this.#decide(transaction, userId, open);
    const byId = new Map(decided.map((one) => [one.messageId, one]));
    const next = due.map((reminder) => {
      const reminded = remindedOf(reminder, account, byId.get(reminder.messageId));
      const { now, periodSeconds } = account ?? { now: 0, periodSeconds: 0 };
      return [
        reminder.messageId,
        nextReminder(reminder, reminded, { now, periodSeconds }),
      ] as const;
    });
    await this.reminders.settle(transaction, userId, new Map(next));
    return accepted;
  }

  async #decide(transaction: Transaction, userId: number, open: readonly DueReminder[]) {
    if (open.length === 0) return { accepted: [], decided: [] };
    const mentioning = open.filter(({ isMentioned }) => isMentioned);
    const ids = mentioning.map(({ messageId }) => messageId);
    const groups = await this.mentions.of(ids, [userId], transaction);
    const candidates = open.map(({ messageId, notificationId, isHeld }) => ({
      userId,
      messageId,
      groupId: groups.get(messageId)?.get(userId) ?? null,
      isCaughtUp: isHeld,
      replaces: notificationId,
    }));
    const options = { timeToLiveMs: this.timeToLive.message, traceParent: null };
    return this.notifications.decide(transaction, candidates, options);
  }
}

const isToShow = ({ isOpen, isStoodFor }: DueReminder): boolean => isOpen && !isStoodFor;

const isReminded = ({ trigger }: DecidedMessage): boolean =>
  trigger !== null && REMINDED_TRIGGERS.includes(trigger);

const mayRemind = ({ isAway, periodSeconds }: RemindedAccount): boolean =>
  isAway && periodSeconds > 0;

function remindedOf(
  { isOpen, isStoodFor }: DueReminder,
  account: RemindedAccount | null,
  decided: DecidedMessage | undefined,
): Reminded {
  if (!isOpen || account === null || account.periodSeconds === 0) return { kind: 'ended' };
  if (!account.isAway) return { kind: 'active', until: account.awayFrom };
  if (isStoodFor) return { kind: 'shown' };
  if (decided === undefined) return { kind: 'locked' };
  if (!isReminded(decided)) return { kind: 'ended' };
  return decided.hold === null ? { kind: 'shown' } : { kind: 'held', hold: decided.hold };
}
