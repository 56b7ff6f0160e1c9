import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { RateRule } from '#platform/config';
import { batchedPerTurn } from '#platform/core';
import { LuaScript, REDIS, type Redis } from '#platform/redis';
import type { EventQueue } from './queue.js';

const beginPoll = new LuaScript(import.meta.url, './begin-poll.lua');
const endPoll = new LuaScript(import.meta.url, './end-poll.lua');
const hasExpired = new LuaScript(import.meta.url, './has-expired.lua');
const noteSent = new LuaScript(import.meta.url, './note-sent.lua');

const beginReply = z.array(z.string());
const failedKind = z.enum(['missing', 'expired', 'pruned']);

/** Redis runs nothing else during a script: some ten microseconds for each poll. */
const MAX_AT_ONCE = 100;

/** The longest time of a poll in milliseconds, with a reserve for its answer. */
const LONGEST_POLL_MS = 60_000;

/** PostgreSQL has a later expiry than Redis by at most this, so that a queue with polls is written rarely. */
const LONGEST_SLACK_SECONDS = 3600;

/** The lifetime of a queue in PostgreSQL, and at least that of its state in Redis, after a poll. */
export const storedLifeSeconds = ({ idleSeconds }: Pick<EventQueue, 'idleSeconds'>): number =>
  idleSeconds + LONGEST_POLL_MS / 1000 + Math.min(idleSeconds, LONGEST_SLACK_SECONDS);

/** The lifetime of a queue from the beginning of a poll. */
export const exactLifeSeconds = ({ idleSeconds }: Pick<EventQueue, 'idleSeconds'>): number =>
  idleSeconds + LONGEST_POLL_MS / 1000;

export interface PollStart {
  /** The last event id that the client has. */
  readonly lastId: number;
  /** The name of the poll and of its gateway. */
  readonly holder: string;
  /** The limits of the polls of a queue, the same for all queues. */
  readonly limits: readonly RateRule[];
  /** Whether the state may be missing or expired. */
  readonly isRevival?: boolean;
}

/** The last of the transient events of an answer. */
export interface SentEvents {
  readonly lastId: number;
  /** The cursor after them. */
  readonly cursor: number;
}

/** The result of a poll that has begun. */
export interface BegunOutcome {
  readonly kind: 'begun';
  /** The holder of the replaced poll. */
  readonly replaced: string | null;
  /** The cursor of the acknowledged transient events. */
  readonly cursor: number | null;
}

/**
 * The result of PollStart: with the holder that the poll replaces and the cursor of the acknowledged transient events, or
 * the reason for which there is no poll.
 */
export type PollOutcome =
  | BegunOutcome
  | { readonly kind: 'limited'; readonly waitMs: number }
  | { readonly kind: 'missing' | 'expired' | 'pruned' };

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
    const start = { lastId: startId, holder: '', limits: [], isRevival: true };
    await this.#beginAll([{ queue, start, longestMs: 0, cursor }]);
  }

  begin(queue: EventQueue, start: PollStart): Promise<PollOutcome> {
    return this.#begin({ queue, start, longestMs: LONGEST_POLL_MS });
  }

  async #beginAll(beginnings: readonly Beginning[]): Promise<PollOutcome[]> {
    const limits = beginnings[0]?.start.limits ?? [];
    const keys = beginnings.map(({ queue }) => keyOf(queue.id));
    const args = [String(limits.length)];
    for (const { seconds, calls } of limits) args.push(String(seconds), String(calls));
    for (const beginning of beginnings) args.push(wordsOf(beginning));
    const replies = await beginPoll.run(this.redis, keys, args);
    return beginReply.parse(replies).map(outcomeOf);
  }

  /** Ends a poll: the time without a poll began `agoMs` ago. */
  async end(queue: EventQueue, holder: string, agoMs: number): Promise<void> {
    const leftMs = Math.round(queue.idleSeconds * 1000 - agoMs);
    await endPoll.run(this.redis, [keyOf(queue.id)], [holder, String(leftMs)]);
  }

  /** Records transient events before their answer is sent; false if a newer poll has begun. */
  async noteSent(queue: EventQueue, holder: string, { lastId, cursor }: SentEvents) {
    const args = [holder, String(lastId), String(cursor)];
    return (await noteSent.run(this.redis, [keyOf(queue.id)], args)) === 1;
  }

  /** Whether Redis has the state of a queue. */
  async has(queueId: string): Promise<boolean> {
    return (await this.redis.exists(keyOf(queueId))) === 1;
  }

  /** Whether the time without a poll has passed; false if Redis does not have the state of the queue. */
  async hasExpired(queueId: string): Promise<boolean> {
    return (await hasExpired.run(this.redis, [keyOf(queueId)], [])) === 1;
  }

  async delete(queueIds: readonly string[]): Promise<void> {
    if (queueIds.length > 0) await this.redis.unlink(...queueIds.map(keyOf));
  }
}

/** The argument of begin-poll.lua. No word contains a space. */
const wordsOf = ({ queue, start, longestMs, cursor }: Beginning): string =>
  `${start.lastId} ${start.holder} ${longestMs} ${queue.idleSeconds * 1000} ` +
  `${storedLifeSeconds(queue) * 1000} ${start.isRevival === true ? '1' : '0'} ${cursor ?? ''}`;

function outcomeOf(reply: string): PollOutcome {
  const [kind, detail = '', cursor = ''] = reply.split(' ');
  if (kind === 'limited') return { kind, waitMs: Number(detail) };
  if (kind !== 'begun') return { kind: failedKind.parse(kind) };
  const replaced = detail === '' ? null : detail;
  return { kind, replaced, cursor: cursor === '' ? null : Number(cursor) };
}

const keyOf = (queueId: string): string => `carillon:events:queue:${queueId}`;
