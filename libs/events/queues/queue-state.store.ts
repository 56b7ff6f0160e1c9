import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { batchedPerTurn } from '#platform/core';
import { LuaScript, REDIS, type Redis } from '#platform/redis';
import type { BegunPoll } from './poll.js';
import type { EventQueue } from './queue.js';
import type { QueuePoll } from './queue.repository.js';
import { continuedMs, LONGEST_POLL_MS, storedLifeSeconds } from './queue-lifetime.rules.js';

const beginPoll = new LuaScript(import.meta.url, './begin-poll.lua');
const endPoll = new LuaScript(import.meta.url, './end-poll.lua');
const hasExpired = new LuaScript(import.meta.url, './has-expired.lua');
const recordSent = new LuaScript(import.meta.url, './record-sent.lua');

const beginReply = z.array(z.string());
const failedKind = z.enum(['missing', 'expired', 'pruned']);

/** Redis runs nothing else during a script: some ten microseconds for each poll. */
const MAX_AT_ONCE = 100;

/** A poll that begins. */
export interface PollStart {
  /** The last event id that the client has. */
  readonly lastId: number;
  /** The last event id that the gateway knows as acknowledged. */
  readonly acknowledged: number;
  /** The name of the poll and of its gateway. */
  readonly pollId: string;
  /** Whether a missing or expired state is made anew. */
  readonly mayRecreateState?: boolean;
}

/** The last of the transient events of an answer. */
export interface QueueCursor {
  readonly lastId: number;
  /** The cursor after them. */
  readonly cursor: number;
}

/** The result of a poll that has begun. */
export interface BegunOutcome {
  readonly kind: 'begun';
  /** The id of the replaced poll. */
  readonly replaced: string | null;
  /** The cursor of the acknowledged transient events. */
  readonly cursor: number | null;
}

/**
 * The result of beginning a poll: the id of the poll that it replaces and the cursor of the acknowledged transient
 * events, or the reason for which there is no poll.
 */
export type PollOutcome = BegunOutcome | { readonly kind: 'missing' | 'expired' | 'pruned' };

/** A poll for begin-poll.lua. */
interface Beginning {
  readonly queue: EventQueue;
  readonly start: PollStart;
  readonly longestMs: number;
  /** The cursor of the transient events of a new queue. */
  readonly cursor?: number | null;
}

/**
 * The changing state of queues in Redis: the acknowledged id and cursor, the time of expiry, and the held poll. Each method is
 * one round trip, and rejects while Redis is down.
 */
@Injectable()
export class QueueStateStore {
  readonly #begin = batchedPerTurn(
    (beginnings: readonly Beginning[]) => this.#beginAll(beginnings),
    { maxPerCall: MAX_AT_ONCE },
  );

  constructor(@Inject(REDIS) private readonly redis: Redis) {}

  /** Begins the time of a new queue. `cursor` is that of its transient events, if it is known. */
  async open(queue: EventQueue, startId: number, cursor: number | null): Promise<void> {
    const start = { lastId: startId, acknowledged: 0, pollId: '', mayRecreateState: true };
    await this.#beginAll([{ queue, start, longestMs: 0, cursor }]);
  }

  /** Begins a poll, and ends an older one of the queue. */
  begin(queue: EventQueue, start: PollStart): Promise<PollOutcome> {
    return this.#begin({ queue, start, longestMs: continuedMs(queue) + LONGEST_POLL_MS });
  }

  async #beginAll(beginnings: readonly Beginning[]): Promise<PollOutcome[]> {
    const keys = beginnings.map(({ queue }) => keyOf(queue.id));
    const replies = await beginPoll.run(this.redis, keys, beginnings.map(argumentOf));
    return beginReply.parse(replies).map(outcomeOf);
  }

  /** Records the end of a poll of a client that has `lastId`: the time without a poll began `agoMs` ago. */
  async recordEnd(
    { queue, pollId, lastId }: Pick<BegunPoll, 'queue' | 'pollId' | 'lastId'>,
    agoMs: number,
  ): Promise<void> {
    const leftMs = Math.round(queue.idleSeconds * 1000 - agoMs);
    const args = [pollId, String(leftMs), String(lastId)];
    await endPoll.run(this.redis, [keyOf(queue.id)], args);
  }

  /** Records transient events before their answer is sent; false if a newer poll has begun. */
  async recordSent(
    { queue, pollId, cursor: acknowledged }: Pick<BegunPoll, 'queue' | 'pollId' | 'cursor'>,
    sent: QueueCursor,
  ): Promise<boolean> {
    const args = [pollId, String(sent.lastId), String(sent.cursor), String(acknowledged ?? '')];
    return (await recordSent.run(this.redis, [keyOf(queue.id)], args)) === 1;
  }

  /** The queues with their last polls: a poll that is held counts as one in the future. */
  lastPolls(queues: readonly QueuePoll[]): Promise<QueuePoll[]> {
    const read = async (queue: QueuePoll): Promise<QueuePoll> => {
      const deadline = await this.redis.hget(keyOf(queue.id), 'deadline');
      const polledAt = Number(deadline) - queue.idleSeconds * 1000;
      return { ...queue, polledAt: Math.max(queue.polledAt, polledAt) };
    };
    return Promise.all(queues.map(read));
  }

  /** Whether Redis has the state of a queue. */
  async has(queueId: string): Promise<boolean> {
    return (await this.redis.exists(keyOf(queueId))) === 1;
  }

  /** Whether the time without a poll has passed; false if Redis does not have the state of the queue. */
  async hasExpired(queueId: string): Promise<boolean> {
    return (await hasExpired.run(this.redis, [keyOf(queueId)], [])) === 1;
  }

  /** Deletes the states of queues; some may be missing. */
  async delete(queueIds: readonly string[]): Promise<void> {
    if (queueIds.length > 0) await this.redis.unlink(...queueIds.map(keyOf));
  }
}

/** The argument of begin-poll.lua. No word contains a space. */
const argumentOf = ({ queue, start, longestMs, cursor }: Beginning): string =>
  `${start.lastId} ${start.acknowledged} ${start.pollId} ${longestMs} ${queue.idleSeconds * 1000} ` +
  `${storedLifeSeconds(queue) * 1000} ${start.mayRecreateState === true ? '1' : '0'} ${cursor ?? ''}`;

function outcomeOf(reply: string): PollOutcome {
  const [kind, detail = '', cursor = ''] = reply.split(' ');
  if (kind !== 'begun') return { kind: failedKind.parse(kind) };
  const replaced = detail === '' ? null : detail;
  return { kind, replaced, cursor: cursor === '' ? null : Number(cursor) };
}

const keyOf = (queueId: string): string => `carillon:events:queue:${queueId}`;
