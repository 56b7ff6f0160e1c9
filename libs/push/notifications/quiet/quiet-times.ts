import { Injectable } from '@nestjs/common';
import type { QuietChange, QuietSettingsHook } from '#directory/settings';
import { type Clock, PeriodicService, PeriodicTask, systemClock } from '#platform/core';
import { Database, type Transaction } from '#platform/database';
import { NotificationReview } from '../decision/notification-review.js';
import { ReviewRepository } from '../decision/review.repository.js';
import { type AccountQuietHours, QuietTimesRepository } from './quiet-times.repository.js';
import { quietTimesOf } from './quiet-times.rules.js';

/**
 * Stored in advance. A gateway computes that for a change of settings, in at most 40 ms. The last weekly hours end in the second
 * week, so that an account whose times were continued is not due again.
 */
const STORED_DAYS = 14;
/** So long workers may be down. */
const CONTINUED_BEFORE_DAYS = 5;
const EVERY_MS = 600_000;
/** The accounts of one transaction. Changes of their settings wait for its end. */
const PAGE_ACCOUNTS = 20;

/** Applies changes of the settings that keep phones quiet. */
@Injectable()
export class QuietTimes implements QuietSettingsHook {
  readonly #clock: Clock = systemClock;

  constructor(
    private readonly repository: QuietTimesRepository,
    private readonly review: NotificationReview,
    private readonly reviews: ReviewRepository,
  ) {}

  /** What was held back is decided again, once more after messages that are being stored now. */
  async quietChanged(
    transaction: Transaction,
    userId: number,
    { areHoursChanged, areOthersChanged }: QuietChange,
  ): Promise<void> {
    const hasHours = areHoursChanged && (await this.#updateTimes(transaction, userId));
    // A time zone means nothing without quiet hours.
    if (!hasHours && !areOthersChanged) return;
    await this.review.release(transaction, userId);
    await this.reviews.add(transaction, userId, 'quiet settings');
  }

  /** Resolves with whether the account has quiet hours, or had them before. */
  async #updateTimes(transaction: Transaction, userId: number): Promise<boolean> {
    const account = await this.repository.lock(transaction, userId);
    if (!account.hasTimes && account.hours.length === 0) return false;
    await this.store(transaction, [account]);
    return true;
  }

  /** Stores what the quiet hours of locked accounts mean from now on. */
  async store(transaction: Transaction, accounts: readonly AccountQuietHours[]): Promise<void> {
    const now = this.#clock();
    const times = accounts.map(
      ({ userId, hours, zone }) => [userId, quietTimesOf(hours, zone, now, STORED_DAYS)] as const,
    );
    await this.repository.store(transaction, new Map(times));
  }
}

/** Continues the stored quiet times of all accounts. Any number of workers share the accounts. */
@Injectable()
export class QuietTimesContinuation extends PeriodicService {
  protected readonly task = new PeriodicTask(EVERY_MS, () => this.continueAll(), {
    failure: 'Quiet hours were not continued',
  });

  constructor(
    private readonly database: Database,
    private readonly repository: QuietTimesRepository,
    private readonly times: QuietTimes,
  ) {
    super();
  }

  /** Rejects when PostgreSQL is down. */
  async continueAll(): Promise<void> {
    while (!this.task.isStopping) {
      const continued = await this.database.transaction(async (transaction) => {
        const accounts = await this.repository.lockEnding(
          transaction,
          CONTINUED_BEFORE_DAYS,
          PAGE_ACCOUNTS,
        );
        await this.times.store(transaction, accounts);
        return accounts.length;
      });
      if (continued < PAGE_ACCOUNTS) break;
    }
  }
}
