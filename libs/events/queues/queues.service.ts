import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type Caller, LIMITS, type Limits, requestErrors } from '#platform/contracts';
import { SparedFailures } from '#platform/core';
import type { Transaction } from '#platform/database';
import { PollEnds } from './poll-ends.js';
import { type CachedQueue, QueueCache } from './queue-cache.js';
import { type EventQueue, type ReservedQueue, startIdAt } from './queue.js';
import { queueErrors } from './queues.errors.js';
import { type OlderClients, QueueRepository } from './queue.repository.js';
import {
  type BegunOutcome,
  exactLifeSeconds,
  type PollStart,
  QueueStateStore,
  type SentEvents,
  storedLifeSeconds,
} from './queue-state.store.js';

const QUEUE_ID_BYTES = 18;

/** The queues of an organisation that one statement deletes. */
const MAX_DELETED = 1000;

/** Where a queue starts. */
interface QueueStart {
  /** The position of the state that the client has. */
  readonly startPosition: number;
  /** The cursor of the transient events that the client has; null if it is unknown. */
  readonly cursor: number | null;
}

/** A poll that has begun. */
export interface BegunPoll {
  readonly queue: EventQueue;
  /** The last event id that the client has; the start of the queue for a client with none. */
  readonly lastId: number;
  /** The holder of the replaced poll; null without a replaced poll, or if that poll has ended in this gateway. */
  readonly replaced: string | null;
  /** The cursor of the acknowledged transient events; null if it is unknown. */
  readonly cursor: number | null;
  /** Whether Redis has recorded the poll. Otherwise it gets no transient events, since they cannot be recorded. */
  readonly isRecorded: boolean;
}

/**
 * The queues of clients. PostgreSQL has the queues, and Redis the times and acknowledgements of their polls: a queue
 * survives the loss of Redis. During an outage of Redis, PostgreSQL records the polls.
 */
@Injectable()
export class QueuesService {
  readonly #failures = new SparedFailures(QueuesService.name);

  constructor(
    private readonly queues: QueueRepository,
    private readonly states: QueueStateStore,
    private readonly cache: QueueCache,
    private readonly ends: PollEnds,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'eventQueues'>,
  ) {}

  /**
   * Stores a new queue of the caller, before the state of its registration is read. It expires if it is not started. Beyond
   * the cap, the account's least recently used queues are deleted.
   */
  async reserve(
    caller: Caller,
    parameters: Pick<EventQueue, 'options' | 'idleSeconds'>,
  ): Promise<ReservedQueue> {
    const id = randomBytes(QUEUE_ID_BYTES).toString('base64url');
    const { options, idleSeconds } = parameters;
    const queue = { id, realmId: caller.realm.id, userId: caller.userId, options, idleSeconds };
    const lifeSeconds = storedLifeSeconds(queue);
    const excess = await this.queues.reserve(queue, lifeSeconds, this.limits.eventQueues);
    await this.#spared(() => this.states.delete(excess));
    return queue;
  }

  /**
   * Starts a queue behind a state that was read after the reservation. False if the queues of the account have been deleted
   * meanwhile: then the state is no longer what the account sees.
   */
  async start(reserved: ReservedQueue, { startPosition, cursor }: QueueStart): Promise<boolean> {
    const queue = { ...reserved, startPosition };
    // Before the row: a deletion of the row is followed by one of the state.
    await this.#spared(() => this.states.open(queue, startIdAt(startPosition), cursor));
    if (!(await this.queues.start(queue))) {
      await this.#spared(() => this.states.delete([queue.id]));
      return false;
    }
    // The first poll mostly follows at once, and mostly here.
    this.cache.add(queue);
    return true;
  }

  /**
   * Begins a poll. Rejects with `badEventQueueId` for an unknown, foreign, deleted or expired queue, with `rateLimited`
   * beyond the limits, and with `eventAlreadyPruned` if the client has acknowledged a later event. `checkId` runs before
   * the last id is acknowledged.
   */
  async begin(
    caller: Caller,
    queueId: string,
    start: PollStart,
    checkId: () => Promise<void>,
  ): Promise<BegunPoll> {
    const cached = await this.cache.find(queueId, caller.userId);
    if (cached === null) throw badQueue(queueId);
    await checkId();
    const { queue } = cached;
    const lastId = lastIdOf(queue, start);
    let outcome;
    try {
      outcome = await this.states.begin(queue, { ...start, lastId });
      const isRevival =
        (outcome.kind === 'missing' && (await this.queues.find(queue.id, queue.userId)) !== null) ||
        (outcome.kind === 'expired' &&
          (await this.queues.wasPolled(queue.id, exactLifeSeconds(queue))));
      if (isRevival) outcome = await this.states.begin(queue, { ...start, lastId, isRevival });
    } catch (error) {
      this.#failures.note(error);
      return this.#beginWithoutRedis(queue, lastId);
    }
    if (outcome.kind === 'limited') throw rateLimited(outcome.waitMs);
    if (outcome.kind === 'pruned') {
      throw new ApiError(queueErrors.eventAlreadyPruned, { id: start.lastId });
    }
    if (outcome.kind !== 'begun') {
      this.cache.remove(queue.id);
      throw badQueue(queue.id);
    }
    return this.#begun(cached, lastId, outcome);
  }

  /**
   * Begins a poll of a queue that this gateway knows. Otherwise, and in every case that `begin` rejects, resolves with null:
   * the poll has changed nothing but the count of its limit.
   */
  async beginKnown(
    { userId }: Pick<Caller, 'userId'>,
    queueId: string,
    start: PollStart,
  ): Promise<BegunPoll | null> {
    const cached = this.cache.get(queueId, userId);
    if (cached === undefined) return null;
    const { queue } = cached;
    const lastId = lastIdOf(queue, start);
    try {
      const outcome = await this.states.begin(queue, { ...start, lastId });
      if (outcome.kind !== 'begun') return null;
      return await this.#begun(cached, lastId, outcome);
    } catch (error) {
      this.#failures.note(error);
      return null;
    }
  }

  /**
   * Records transient events of an answer, which must be sent only then. False if a newer poll has begun, or while Redis is
   * down.
   */
  async noteSent(queue: EventQueue, holder: string, sent: SentEvents): Promise<boolean> {
    try {
      return await this.states.noteSent(queue, holder, sent);
    } catch (error) {
      this.#failures.note(error);
      return false;
    }
  }

  /** Ends a poll: the time without a poll begins. */
  end(queue: EventQueue, holder: string): void {
    this.ends.add(queue, holder);
  }

  /**
   * For a poll whose last event is not stored: deletes the queue if Redis has lost its state, and rejects with
   * `badEventQueueId`. Then PostgreSQL and Redis are of different times, and the client has events that were lost.
   */
  async refuseLost(caller: Caller, queueId: string): Promise<void> {
    try {
      if (await this.states.has(queueId)) return;
    } catch (error) {
      this.#failures.note(error);
      return;
    }
    await this.remove(caller, queueId);
    throw badQueue(queueId);
  }

  /** Rejects with `badEventQueueId` if the caller has no such queue, or if it has expired. */
  async remove({ userId }: Pick<Caller, 'userId'>, queueId: string): Promise<void> {
    this.cache.remove(queueId);
    const queue = await this.queues.find(queueId, userId);
    const isLive = queue !== null && !(await this.#hasExpired(queue));
    if (!(await this.queues.delete(queueId, userId))) throw badQueue(queueId);
    await this.#spared(() => this.states.delete([queueId]));
    if (!isLive) throw badQueue(queueId);
  }

  /** Deletes all queues of accounts with their deactivation. */
  async removeAllOf(transaction: Transaction, userIds: readonly number[]): Promise<void> {
    const ids = await this.queues.deleteOfAccounts(transaction, userIds);
    transaction.afterCommit(() => void this.#spared(() => this.states.delete(ids)));
  }

  /** Deletes the queues of such clients of accounts: they register again. */
  async removeOfOlderClients(
    transaction: Transaction,
    userIds: readonly number[],
    clients: OlderClients,
  ): Promise<void> {
    const ids = await this.queues.deleteOfOlderClients(transaction, userIds, clients);
    transaction.afterCommit(() => void this.#spared(() => this.states.delete(ids)));
  }

  /** Deletes all queues of an organisation. */
  async removeAllOfRealm(realmId: number): Promise<void> {
    this.cache.removeAllOfRealm(realmId);
    for (;;) {
      const ids = await this.queues.deleteOfRealm(realmId, MAX_DELETED);
      await this.#spared(() => this.states.delete(ids));
      if (ids.length < MAX_DELETED) return;
    }
  }

  /** Deletes expired queues, at most `limit`; resolves with their number. */
  async removeExpired(limit: number): Promise<number> {
    return this.queues.deleteExpired(limit);
  }

  /** False while Redis is down: only Redis knows the exact time. */
  async #hasExpired(queue: EventQueue): Promise<boolean> {
    try {
      if (!(await this.states.hasExpired(queue.id))) return false;
    } catch (error) {
      this.#failures.note(error);
      return false;
    }
    return !(await this.queues.wasPolled(queue.id, exactLifeSeconds(queue)));
  }

  async #begun(cached: CachedQueue, lastId: number, outcome: BegunOutcome): Promise<BegunPoll> {
    const { queue } = cached;
    const ended = this.ends.cancel(queue.id);
    if (performance.now() >= cached.extendAt) await this.cache.extend(cached);
    // Redis still has the holder of a poll that was answered here a moment ago.
    const replaced = outcome.replaced === ended ? null : outcome.replaced;
    return { queue, lastId, replaced, cursor: outcome.cursor, isRecorded: true };
  }

  async #beginWithoutRedis(queue: EventQueue, lastId: number): Promise<BegunPoll> {
    if ((await this.queues.find(queue.id, queue.userId)) === null) throw badQueue(queue.id);
    await this.queues.notePoll(queue.id, storedLifeSeconds(queue));
    return { queue, lastId, replaced: null, cursor: null, isRecorded: false };
  }

  async #spared(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#failures.note(error);
    }
  }
}

/** The last id that a client has. Clients that have no event yet send -1. */
const lastIdOf = ({ startPosition }: EventQueue, { lastId }: PollStart): number =>
  Math.max(lastId, startIdAt(startPosition));

const rateLimited = (waitMs: number): ApiError =>
  new ApiError(requestErrors.rateLimited, {}, { 'retry-after': waitMs / 1000 });

const badQueue = (queueId: string): ApiError =>
  new ApiError(queueErrors.badEventQueueId, { id: queueId }, { queue_id: queueId });
