import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { LuaScript, REDIS, type Redis } from '#platform/redis';
import type { EventQueue } from './queue.js';

const beginPoll = new LuaScript(import.meta.url, './begin-poll.lua');
const endPoll = new LuaScript(import.meta.url, './end-poll.lua');

const beginReply = z.tuple([z.enum(['begun', 'missing', 'expired', 'pruned']), z.string()]);

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
  /** Whether the state may be missing or expired. */
  readonly isRevival?: boolean;
}

/** The result of PollStart: with the holder that the poll replaces, or the reason for which there is no poll. */
export type PollOutcome =
  | { readonly kind: 'begun'; readonly replaced: string | null }
  | { readonly kind: 'missing' | 'expired' | 'pruned' };

/**
 * The changing state of queues in Redis: the acknowledged id, the time of expiry, and the held poll. Each method is one
 * round trip, and rejects while Redis is down.
 */
@Injectable()
export class QueueStateStore {
  constructor(@Inject(REDIS) private readonly redis: Redis) {}

  /** Begins the time of a new queue. */
  async open(queue: EventQueue, startId: number): Promise<void> {
    const { idleSeconds } = queue;
    const args = [startId, '', 0, idleSeconds * 1000, storedLifeSeconds(queue) * 1000, 1];
    await beginPoll.run(this.redis, [keyOf(queue.id)], args.map(String));
  }

  async begin(queue: EventQueue, { lastId, holder, isRevival = false }: PollStart) {
    const args = [
      lastId,
      holder,
      LONGEST_POLL_MS,
      queue.idleSeconds * 1000,
      storedLifeSeconds(queue) * 1000,
      isRevival ? 1 : 0,
    ];
    const [kind, replaced] = beginReply.parse(
      await beginPoll.run(this.redis, [keyOf(queue.id)], args.map(String)),
    );
    const outcome: PollOutcome =
      kind === 'begun' ? { kind, replaced: replaced === '' ? null : replaced } : { kind };
    return outcome;
  }

  /** Ends a poll: the time without a poll begins. */
  async end(queue: EventQueue, holder: string): Promise<void> {
    await endPoll.run(this.redis, [keyOf(queue.id)], [holder, String(queue.idleSeconds * 1000)]);
  }

  async delete(queueIds: readonly string[]): Promise<void> {
    if (queueIds.length > 0) await this.redis.unlink(...queueIds.map(keyOf));
  }
}

const keyOf = (queueId: string): string => `carillon:events:queue:${queueId}`;
