import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { errorText, PeriodicService, PeriodicTask } from '#platform/core';
import { Database, type Transaction } from '#platform/database';
import { Metrics } from '#platform/telemetry';
import { isLastSlice, MAX_DELETED, MessageDeleter } from '../deleting/message-deleter.js';
import { ExpiredMessagesRepository, type RetentionPlace } from './expired-messages.repository.js';

const PERIOD_MS = 60 * 60 * 1000;

/** The conversations that one statement looks at. */
const CONVERSATIONS = 10_000;

type NextPlace = (transaction: Transaction, after: number) => Promise<RetentionPlace | null>;

interface Slice {
  /** The id after which the pass continues; null at its end. */
  readonly after: number | null;
  readonly deleted: number;
}

/** A place whose messages could not be deleted. */
interface PlaceFailure {
  readonly place: RetentionPlace;
  readonly failure: unknown;
}

/**
 * Deletes the messages whose retention is over: once an hour, in every gateway. Slices are committed one by one, and
 * gateways skip the places of each other, so that a pass needs no lease.
 */
@Injectable()
export class MessageRetention extends PeriodicService {
  readonly #logger = new Logger(MessageRetention.name);
  protected readonly task = new PeriodicTask(PERIOD_MS, () => this.deleteExpired(), {
    failure: 'Messages whose retention is over were not all deleted',
    logger: this.#logger,
  });
  readonly #deleted;

  constructor(
    private readonly expired: ExpiredMessagesRepository,
    @Inject(MessageDeleter) private readonly deleter: Pick<MessageDeleter, 'deleteAll'>,
    private readonly database: Database,
    metrics: Metrics,
  ) {
    super();
    this.#deleted = metrics.counter({
      name: 'carillon_messages_expired_total',
      help: 'Messages that were deleted because their retention was over.',
      labels: [],
    });
    this.#deleted.add({}, 0);
  }

  /**
   * Deletes all messages whose retention is over; resolves with their number. Rejects if PostgreSQL is down, and after the
   * pass if messages of a channel or conversation could not be deleted.
   */
  async deleteExpired(): Promise<number> {
    const failed: PlaceFailure[] = [];
    let deleted = await this.#deleteAll(0, failed, (transaction, after) =>
      this.expired.nextChannel(transaction, after),
    );
    const newest = await this.expired.newestConversation();
    for (let from = 0; from < newest; from += CONVERSATIONS) {
      const upTo = from + CONVERSATIONS;
      deleted += await this.#deleteAll(from, failed, (transaction, after) =>
        this.expired.nextConversation(transaction, { after, upTo }),
      );
    }
    if (deleted > 0) this.#logger.log(`Deleted ${deleted} messages whose retention was over.`);
    throwFailed(failed);
    return deleted;
  }

  async #deleteAll(from: number, failed: PlaceFailure[], next: NextPlace): Promise<number> {
    let deleted = 0;
    let after: number | null = from;
    while (after !== null && !this.task.isStopping) {
      const startedAt = performance.now();
      const slice: Slice = await this.#deleteSlice(after, failed, next);
      after = slice.after;
      if (slice.deleted === 0) continue;
      deleted += slice.deleted;
      this.#deleted.add({}, slice.deleted);
      // A slice blocks new messages of its place; an equally long pause lets them through.
      await delay(performance.now() - startedAt);
    }
    return deleted;
  }

  /** Deletes messages of the next place; the pass continues after a place that fails. */
  async #deleteSlice(last: number, failed: PlaceFailure[], next: NextPlace): Promise<Slice> {
    let place: RetentionPlace | null = null;
    try {
      return await this.database.transaction(async (transaction) => {
        place = await next(transaction, last);
        return place === null ? { after: null, deleted: 0 } : this.#deleteFrom(transaction, place);
      });
    } catch (failure) {
      if (place === null) throw failure;
      failed.push({ place, failure });
      return { after: idOf(place), deleted: 0 };
    }
  }

  async #deleteFrom(transaction: Transaction, place: RetentionPlace): Promise<Slice> {
    const messages = await this.expired.oldest(transaction, place, MAX_DELETED);
    const deleted = await this.deleter.deleteAll(transaction, null, place, messages);
    const isDone = isLastSlice(messages.length, deleted);
    return { after: isDone ? idOf(place) : idOf(place) - 1, deleted };
  }
}

const idOf = ({ channelId, conversationId }: RetentionPlace): number =>
  channelId ?? conversationId ?? 0;

function throwFailed([first, ...others]: readonly PlaceFailure[]): void {
  if (first === undefined) return;
  const { place, failure } = first;
  const count = others.length + 1;
  const places = count === 1 ? '1 channel or conversation' : `${count} channels or conversations`;
  const kind = place.channelId === null ? 'conversation' : 'channel';
  throw new Error(
    `Messages of ${places} were not deleted; the first is ${kind} ${idOf(place)}: ${errorText(failure)}`,
    { cause: failure },
  );
}
