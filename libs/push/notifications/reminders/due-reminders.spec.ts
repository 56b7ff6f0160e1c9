import { describe, expect, it } from '@jest/globals';
import type { GroupMentions } from '#chat/messages';
import type { Database, Transaction } from '#platform/database';
import type { DeliveryQueue } from '../delivery-queue.js';
import type { MessageNotificationRepository } from '../message-notification.repository.js';
import { timeToLiveOf } from '../notification.js';
import { DueReminders } from './due-reminders.js';
import type { ReminderRepository } from './reminder.repository.js';

const FAILING = 2;

/** Accounts 1 to 3, of which the second fails. */
class World {
  due = [1, FAILING, 3];
  readonly settled: number[] = [];
  readonly postponed: number[] = [];

  constructor(private readonly code: string) {}

  remindAll(): Promise<void> {
    const database = { transaction: (work: (it: object) => unknown) => work({}) };
    return new DueReminders(
      database as unknown as Database,
      { ...this.#repository() } as unknown as ReminderRepository,
      {} as MessageNotificationRepository,
      {} as GroupMentions,
      { enqueue: async () => true } as unknown as DeliveryQueue,
      timeToLiveOf(60_000),
    ).remindAll();
  }

  #repository() {
    return {
      lockDue: async () => this.due[0] ?? null,
      account: async () => null,
      due: async (_: Transaction, userId: number) => {
        if (userId === FAILING) throw Object.assign(new Error('It fails.'), { code: this.code });
        return [];
      },
      settle: async (_: Transaction, userId: number) => {
        this.settled.push(userId);
        this.due.shift();
      },
      postpone: async (userId: number) => {
        this.postponed.push(userId);
        this.due.shift();
      },
    };
  }
}

describe(DueReminders.name, () => {
  it('reminds the others when one account fails, and tells of the failure', async () => {
    const world = new World('57014');
    await expect(world.remindAll()).rejects.toThrow('It fails.');
    expect(world.settled).toEqual([1, 3]);
    expect(world.postponed).toEqual([FAILING]);
  });

  it('stops when PostgreSQL is down', async () => {
    const world = new World('57P01');
    await expect(world.remindAll()).rejects.toThrow('It fails.');
    expect(world.settled).toEqual([1]);
    expect(world.postponed).toEqual([]);
  });
});
