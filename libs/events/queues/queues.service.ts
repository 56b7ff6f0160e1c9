import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApiError, type Caller } from '#platform/contracts';
import { ToleratedFailures } from '#platform/core';
import type { Transaction } from '#platform/database';
import { Departures } from './departures.js';
import { type CachedQueue, QueueCache } from './queue-cache.js';
import { QueueNotices } from './queue-notices.js';
import type { Answered, BegunPoll } from './poll.js';
import { type EventQueue, type ReservedQueue, startIdAt } from './queue.js';
import { badQueue, queueErrors } from './queues.errors.js';
import { type LeastUsed, QueueRepository } from './queue.repository.js';
import { exactLifeSeconds, storedLifeSeconds } from './queue-lifetime.rules.js';
import {
  type BegunOutcome,
  type PollOutcome,
  type PollStart,
  QueueStateStore,
  type QueueCursor,
} from './queue-state.store.js';
import { RecentPolls } from './recent-polls.js';

const QUEUE_ID_BYTES = 18;

/** Enough for gateways to have different names. */
const GATEWAY_BYTES = 9;

/** The queues of an organisation that one statement deletes. */
const MAX_DELETED = 1000;

/** Where a queue starts. */
interface QueueStart {
  /** The position of the state that the client has. */
  readonly startPosition: number;
  /** The cursor of the transient events that the client has; null if it is unknown. */
  readonly cursor: number | null;
}

/** A poll that Redis is to record. */
interface StartingPoll extends PollStart {
  readonly recordedAt: number;
}

/**
 * The queues of clients. PostgreSQL has the queues, and Redis the times and acknowledgements of their polls: a queue
 * survives the loss of Redis. During an outage of Redis, PostgreSQL records the polls.
 */
@Injectable()
export class QueuesService {
  readonly #failures = new ToleratedFailures(QueuesService.name);
  readonly #gateway = randomBytes(GATEWAY_BYTES).toString('base64url');
  #polls = 0;

  constructor(
    private readonly queues: QueueRepository,
    private readonly states: QueueStateStore,
    private readonly cache: QueueCache,
    private readonly recent: RecentPolls,
    private readonly notices: QueueNotices,
    private readonly departures: Departures,
  ) {}

  /**
   * Stores a new queue of the caller, before the state of its registration is read. It expires if it is not started. Beyond
   * `cap` queues, the account's least recently used ones are deleted.
   */
  async reserve(
    caller: Caller,
    parameters: Pick<EventQueue, 'options' | 'idleSeconds'>,
    cap: number,
  ): Promise<ReservedQueue> {
    const id = randomBytes(QUEUE_ID_BYTES).toString('base64url');
    const { options, idleSeconds } = parameters;
    const queue = { id, realmId: caller.realm.id, userId: caller.userId, options, idleSeconds };
    const leastUsed = await this.queues.reserve(queue, storedLifeSeconds(queue), cap);
    if (leastUsed !== null) await this.#removeExcess(leastUsed);
    return queue;
  }

  /** PostgreSQL knows the last poll of a queue only roughly: a queue with polls must not give way to one without. */
  async #removeExcess({ excess, queues }: LeastUsed): Promise<void> {
    const polled = await this.#tolerated(() => this.states.lastPolls(queues), queues);
    const ids = polled
      .toSorted((one, other) => one.polledAt - other.polledAt)
      .slice(0, excess)
      .map(({ id }) => id);
    await this.queues.deleteAll(ids);
    await this.#deleteStates(ids);
  }

  /**
   * Starts a queue behind a state that was read after the reservation. False if the queues of the account have been deleted
   * meanwhile: then the state is no longer what the account sees.
   */
  async start(reserved: ReservedQueue, { startPosition, cursor }: QueueStart): Promise<boolean> {
    const queue = { startPosition, ...reserved };
    // Before the row: a deletion of the row is followed by one of the state.
    await this.#tolerated(
      () => this.states.open(queue, startIdAt(startPosition), cursor),
      undefined,
    );
    if (!(await this.queues.start(queue))) {
      await this.#tolerated(() => this.states.delete([queue.id]), undefined);
      return false;
    }
    // The first poll mostly follows at once, and mostly here.
    this.cache.add(queue);
    return true;
  }

  /**
   * Begins a poll, and ends an older one of the queue. Rejects with `badEventQueueId` for an unknown, foreign, deleted or
   * expired queue, and with `eventAlreadyPruned` if the client has acknowledged a later event. `check` runs for an existing
   * queue, before the last id is acknowledged.
   */
  async begin(
    caller: Caller,
    queueId: string,
    lastEventId: number,
    check: (queue: CachedQueue) => Promise<void>,
  ): Promise<BegunPoll> {
    const cached = await this.cache.find(queueId, caller.userId);
    if (cached === null) throw badQueue(queueId);
    await check(cached);
    const { queue } = cached;
    const start = this.#startOf(queue, lastEventId);
    const outcome = await this.#beginInRedis(queue, start);
    if (outcome === null) return this.#beginWithoutRedis(cached, start);
    if (outcome.kind === 'pruned') {
      throw new ApiError(queueErrors.eventAlreadyPruned, { id: lastEventId });
    }
    if (outcome.kind !== 'begun') {
      this.cache.remove(queue.id);
      throw badQueue(queue.id);
    }
    const begun = await this.#begun(cached, start, outcome);
    if (begun === null) throw badQueue(queue.id);
    return begun;
  }

  /** A queue of the caller that this gateway knows; otherwise null. */
  known({ userId }: Pick<Caller, 'userId'>, queueId: string): CachedQueue | null {
    return this.cache.get(queueId, userId);
  }

  /**
   * Continues the previous poll of a queue, which has ended here a moment ago: without a request to Redis. Null if the client
   * does not have the last id of its answer, and in other unusual cases.
   */
  continue({ queue, extendAt }: CachedQueue, lastEventId: number): BegunPoll | null {
    if (performance.now() >= extendAt) return null;
    return this.recent.continue(queue.id, lastEventId);
  }

  /**
   * Begins a poll of a queue that this gateway knows. In every case that `begin` rejects, resolves with null, and has changed
   * nothing.
   */
  async beginKnown(cached: CachedQueue, lastEventId: number): Promise<BegunPoll | null> {
    const start = this.#startOf(cached.queue, lastEventId);
    try {
      const outcome = await this.states.begin(cached.queue, start);
      return outcome.kind === 'begun' ? await this.#begun(cached, start, outcome) : null;
    } catch (error) {
      this.#failures.record(error);
      return null;
    }
  }

  /**
   * Records transient events of an answer, which must be sent only then. False if a newer poll has begun, or while Redis is
   * down.
   */
  async recordSent(poll: BegunPoll, sent: QueueCursor): Promise<boolean> {
    return this.#tolerated(() => this.states.recordSent(poll, sent), false);
  }

  /** Records that a poll has ended: the time without a poll begins. `answered` is what the client will have then. */
  recordEnd(poll: BegunPoll, answered: Answered): void {
    const { progress } = poll;
    progress.answeredId = Math.max(progress.answeredId, answered.lastId);
    this.recent.recordEnd(poll, answered);
  }

  /**
   * For a poll whose last event is not stored: deletes the queue if Redis has lost its state, and rejects with
   * `badEventQueueId`. Then PostgreSQL and Redis are of different times, and the client has events that were lost.
   */
  async removeIfStateLost(caller: Caller, queueId: string): Promise<void> {
    if (await this.#tolerated(() => this.states.has(queueId), true)) return;
    await this.remove(caller, queueId);
    throw badQueue(queueId);
  }

  /** Deletes a queue and ends its poll. Rejects with `badEventQueueId` if the caller has no such queue, or if it has expired. */
  async remove({ userId }: Pick<Caller, 'userId'>, queueId: string): Promise<void> {
    this.cache.remove(queueId);
    const queue = await this.queues.find(queueId, userId);
    const isLive = queue !== null && !(await this.#hasExpired(queue));
    const deleted = await this.queues.delete(queueId, userId);
    if (deleted === null) throw badQueue(queueId);
    await this.#deleteStates([queueId]);
    this.notices.endDeleted(queueId);
    if (deleted.getsMessages) await this.#leave([userId]);
    if (!isLive) throw badQueue(queueId);
  }

  /**
   * Deletes all queues of accounts, and resolves with their number. An event of the transaction must end them at gateways that
   * do not learn of it from Redis: that of a deactivation, or the one of AccountQueues.
   */
  async removeAllOf(transaction: Transaction, userIds: readonly number[]): Promise<number> {
    const ids = await this.queues.deleteOfAccounts(transaction, userIds);
    transaction.afterCommit(() => void this.#deleteStates(ids));
    return ids.length;
  }

  /** Deletes all queues of an organisation. */
  async removeAllOfRealm(realmId: number): Promise<void> {
    this.cache.removeAllOfRealm(realmId);
    for (;;) {
      const ids = await this.queues.deleteOfRealm(realmId, MAX_DELETED);
      await this.#deleteStates(ids);
      if (ids.length < MAX_DELETED) return;
    }
  }

  /** Deletes expired queues, at most `limit`; resolves with their number. */
  async removeExpired(limit: number): Promise<number> {
    const expired = await this.queues.deleteExpired(limit);
    await this.#leave(
      expired.filter(({ getsMessages }) => getsMessages).map(({ userId }) => userId),
    );
    return expired.length;
  }

  async #leave(userIds: readonly number[]): Promise<void> {
    await this.#tolerated(() => this.departures.ended(userIds), undefined);
  }

  /** False while Redis is down: only Redis knows the exact time. */
  async #hasExpired(queue: EventQueue): Promise<boolean> {
    if (!(await this.#tolerated(() => this.states.hasExpired(queue.id), false))) return false;
    return !(await this.queues.wasPolled(queue.id, exactLifeSeconds(queue)));
  }

  #startOf(queue: EventQueue, lastEventId: number): StartingPoll {
    return {
      // Clients that have no event yet send -1.
      lastId: Math.max(lastEventId, startIdAt(queue.startPosition)),
      acknowledged: this.recent.acknowledgedOf(queue.id),
      pollId: `${this.#gateway}.${(this.#polls += 1)}`,
      recordedAt: performance.now(),
    };
  }

  /** Null for a queue that turns out to be deleted: the notice was lost. */
  async #begun(
    cached: CachedQueue,
    { lastId, pollId, recordedAt }: StartingPoll,
    { replaced, cursor }: BegunOutcome,
  ): Promise<BegunPoll | null> {
    const { queue, progress } = cached;
    // Redis still has the id of a poll that was answered here a moment ago.
    const isReplaced = replaced !== null && !this.recent.hasEnded(queue.id, replaced);
    const poll = { queue, progress, lastId, pollId, cursor, recordedAt };
    this.recent.add(poll);
    if (isReplaced) this.notices.endReplaced(queue.id, replaced);
    if (performance.now() < cached.extendAt) return poll;
    if (await this.#tolerated(() => this.cache.extend(cached), true)) return poll;
    await this.#deleteStates([queue.id]);
    return null;
  }

  /** Null while Redis is down. */
  async #beginInRedis(queue: EventQueue, start: PollStart): Promise<PollOutcome | null> {
    try {
      const outcome = await this.states.begin(queue, start);
      if (!(await this.#mayRecreateState(queue, outcome))) return outcome;
      return await this.states.begin(queue, { ...start, mayRecreateState: true });
    } catch (error) {
      this.#failures.record(error);
      return null;
    }
  }

  /** Whether PostgreSQL has a queue whose state Redis has lost, or a poll of it that Redis could not record. */
  async #mayRecreateState(queue: EventQueue, { kind }: PollOutcome): Promise<boolean> {
    if (kind === 'missing') return (await this.queues.find(queue.id, queue.userId)) !== null;
    return kind === 'expired' && this.queues.wasPolled(queue.id, exactLifeSeconds(queue));
  }

  async #beginWithoutRedis(
    { queue, progress }: CachedQueue,
    { lastId, pollId }: StartingPoll,
  ): Promise<BegunPoll> {
    if ((await this.queues.find(queue.id, queue.userId)) === null) throw badQueue(queue.id);
    await this.queues.recordPoll(queue.id, storedLifeSeconds(queue));
    return { queue, progress, lastId, pollId, cursor: null, recordedAt: null };
  }

  async #deleteStates(queueIds: readonly string[]): Promise<void> {
    await this.#tolerated(() => this.states.delete(queueIds), undefined);
    this.notices.deleted(queueIds);
  }

  /** Settles as `work` does; with `otherwise` after a failure, which is recorded. */
  async #tolerated<Result>(work: () => Promise<Result>, otherwise: Result): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      this.#failures.record(error);
      return otherwise;
    }
  }
}
