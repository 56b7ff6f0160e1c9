import { Injectable } from '@nestjs/common';
import {
  type DeadLetter,
  type DeadLetterCount,
  DeadLetterRepository,
} from './dead-letter.repository.js';
import { conditionsOf, type DeadLetterChoice } from './dead-letter.rules.js';
import { explain, type Explanation } from './explain/explain.rules.js';
import { NotificationFactsRepository } from './explain/notification-facts.repository.js';
import {
  type NotificationHistory,
  NotificationHistoryRepository,
} from './notification-history.repository.js';

/** Which notifications to find. */
export type NotificationQuery =
  | { readonly notificationId: string }
  | { readonly userId: number }
  | { readonly userId: number; readonly messageId: number }
  | { readonly deviceId: number }
  /** The first twelve hexadecimal digits of the SHA-256 of a token, as logs show them. */
  | { readonly fingerprint: string };

/** A message is notified once, again after an edit, and removed once or twice. */
const MAX_OF_A_MESSAGE = 20;
const MAX_DISMISSED_PER_STATEMENT = 5000;

/** The ledger for operators. It needs PostgreSQL alone, and works while Redis is down. */
@Injectable()
export class PushLedgerService {
  constructor(
    private readonly histories: NotificationHistoryRepository,
    private readonly letters: DeadLetterRepository,
    private readonly facts: NotificationFactsRepository,
  ) {}

  /**
   * The newest `limit` notifications, each with its deliveries to the devices of the query, a hundred at most.
   * Empty for unknown ones: ended notifications are kept for `PUSH_HISTORY_DAYS`.
   *
   * A registered device or token is found by its account. One that is not registered any more needs a scan of
   * the whole ledger, which may exceed the statement limit: then this rejects.
   */
  async findNotifications(query: NotificationQuery, limit: number): Promise<NotificationHistory[]> {
    if ('notificationId' in query) return this.histories.byId(query.notificationId);
    if ('messageId' in query) {
      return this.histories.byMessage(query.userId, query.messageId, limit);
    }
    if ('userId' in query) return this.histories.byUser(query.userId, limit);
    if ('deviceId' in query) return this.#ofDevice(query.deviceId, limit);
    return this.#ofToken(query.fingerprint, limit);
  }

  /** Why an account was or was not notified of a message, as far as the stored rows show it. */
  async explain(messageId: number, userId: number): Promise<Explanation> {
    const [facts, notifications] = await Promise.all([
      this.facts.read(messageId, userId),
      this.histories.byMessage(userId, messageId, MAX_OF_A_MESSAGE),
    ]);
    return { ...explain(facts, notifications), notifications };
  }

  /** The newest `limit` dead letters, of one reason if it is given. */
  async listDeadLetters({
    reason,
    limit,
  }: {
    reason?: string | undefined;
    limit: number;
  }): Promise<DeadLetter[]> {
    return this.letters.list(reason ?? null, limit);
  }

  /** The number of dead letters of each reason, the most frequent first. */
  async countDeadLetters(): Promise<DeadLetterCount[]> {
    return this.letters.countByReason();
  }

  /** Removes dead letters, and resolves with their number. Their deliveries stay `rejected`. */
  async dismissDeadLetters(choice: DeadLetterChoice): Promise<number> {
    const filter = { ...conditionsOf(choice), until: await this.letters.now() };
    let dismissed = 0;
    for (;;) {
      const removed = await this.letters.dismiss(filter, MAX_DISMISSED_PER_STATEMENT);
      dismissed += removed;
      if (removed < MAX_DISMISSED_PER_STATEMENT) return dismissed;
    }
  }

  async #ofDevice(deviceId: number, limit: number): Promise<NotificationHistory[]> {
    const known = await this.histories.knownDevice(deviceId);
    return known.length > 0
      ? this.histories.byKnownDevices(known, null, limit)
      : this.histories.byRemovedDevice(deviceId, limit);
  }

  async #ofToken(fingerprint: string, limit: number): Promise<NotificationHistory[]> {
    const known = await this.histories.knownDevicesOf(fingerprint);
    return known.length > 0
      ? this.histories.byKnownDevices(known, fingerprint, limit)
      : this.histories.byRemovedFingerprint(fingerprint, limit);
  }
}
