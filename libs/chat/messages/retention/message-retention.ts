import { setTimeout as delay } from 'node:timers/promises';
import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { PeriodicTask } from '#platform/core';
import { Database, type Transaction } from '#platform/database';
import { Metrics } from '#platform/telemetry';
import { MessageDeleter, maxMessages } from '../deleting/message-deleter.js';
import { ExpiredMessagesRepository, type ExpiringPlace } from './expired-messages.repository.js';

const PERIOD_MS = 60 * 60 * 1000;

/** The conversations that one statement looks at. */
const CONVERSATIONS = 10_000;

type NextPlace = (transaction: Transaction, after: number) => Promise<ExpiringPlace | null>;

/**
 * Deletes the messages whose retention is over: once an hour, in every gateway. Slices are committed one by one, and
 * gateways skip the places of each other, so that a pass needs no lease.
 */
@Injectable()
export class MessageRetention implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #logger = new Logger(MessageRetention.name);
  readonly #task = new PeriodicTask(PERIOD_MS, () => this.deleteExpired(), {
    failure: 'Messages whose retention is over were not all deleted',
    logger: this.#logger,
  });
  readonly #deleted;
  #isStopping = false;

  constructor(
    private readonly expired: ExpiredMessagesRepository,
    @Inject(MessageDeleter) private readonly deleter: Pick<MessageDeleter, 'deleteAll'>,
    private readonly database: Database,
    metrics: Metrics,
  ) {
    this.#deleted = metrics.counter({
      name: 'carillon_messages_expired_total',
      help: 'Messages that were deleted because their retention was over.',
      labels: [],
    });
    this.#deleted.add({}, 0);
  }

  onApplicationBootstrap(): void {
    this.#task.start();
  }

  async onApplicationShutdown(): Promise<void> {
    this.#isStopping = true;
    await this.#task.stop();
  }

  /** Deletes all messages whose retention is over; resolves with their number. Rejects if PostgreSQL is down. */
  async deleteExpired(): Promise<number> {
    let deleted = await this.#deleteAll(0, (transaction, after) =>
      this.expired.nextChannel(transaction, after),
    );
    const newest = await this.expired.newestConversation();
    for (let from = 0; from < newest; from += CONVERSATIONS) {
      const upTo = from + CONVERSATIONS;
      deleted += await this.#deleteAll(from, (transaction, after) =>
        this.expired.nextConversation(transaction, { after, upTo }),
      );
    }
    if (deleted > 0) this.#logger.log(`Deleted ${deleted} messages whose retention was over.`);
    return deleted;
  }

  async #deleteAll(from: number, next: NextPlace): Promise<number> {
    let deleted = 0;
    let after: number | null = from;
    while (after !== null && !this.#isStopping) {
      const last: number = after;
      const startedAt = performance.now();
      const slice = await this.database.transaction((transaction) =>
        this.#deleteSlice(transaction, last, next),
      );
      after = slice.after;
      if (slice.deleted === 0) continue;
      deleted += slice.deleted;
      this.#deleted.add({}, slice.deleted);
      // A slice blocks new messages of its place; an equally long pause lets them through.
      await delay(performance.now() - startedAt);
    }
    return deleted;
  }

  /** Resolves with the id after which the pass continues; null at its end. */
  async #deleteSlice(
    transaction: Transaction,
    last: number,
    next: NextPlace,
  ): Promise<{ readonly after: number | null; readonly deleted: number }> {
    const place = await next(transaction, last);
    if (place === null) return { after: null, deleted: 0 };
    const id = place.channelId ?? place.conversationId ?? last;
    const most = maxMessages(place.readers);
    const messages = await this.expired.oldest(transaction, place, most);
    await this.deleter.deleteAll(transaction, null, place, messages);
    return { after: messages.length < most ? id : id - 1, deleted: messages.length };
  }
}
