import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Redis } from '#redis';
import type { PresenceChange } from '../state/presence-entry.js';
import { readChange } from './packed.js';
import { keysOf } from './presence-keys.js';

/** A realm whose changes are wanted, from `position` on; null while it has nothing to continue. */
export interface FollowedRealm {
  readonly realmId: number;
  readonly position: number | null;
  follow(change: PresenceChange): void;
}

/** A realm that joins is followed after at most this; until then its mirror only trails. */
const BLOCK_MS = 200;

/** After each answer the stream is left to gather, or every single change would cost a round trip. */
const GATHER_MS = 2;

/** Between attempts while Redis is away. */
const RETRY_MS = 250;

const COUNT_PER_STREAM = 1000;

const streamsReply = z
  .array(z.tuple([z.instanceof(Buffer), z.array(z.tuple([z.instanceof(Buffer), fields()]))]))
  .nullable();

function fields() {
  return z.array(z.instanceof(Buffer));
}

/** Reads the streams of all realms on one connection of its own and hands every change on. */
export class ChangeFollower {
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  /** The connection is blocked all the time: no one else may use it. */
  constructor(
    private readonly redis: Redis,
    private readonly realms: () => readonly FollowedRealm[],
  ) {}

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const waitMs = await this.#readOnce().catch(() => RETRY_MS);
      // Rejects when stopped, which the loop's condition sees.
      await delay(waitMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    }
  }

  /** Hands on what there is, or waits for it; resolves with the time to wait before the next call. */
  async #readOnce(): Promise<number> {
    const realms = this.realms().filter((realm) => realm.position !== null);
    if (realms.length === 0) return BLOCK_MS;
    const byStream = new Map(realms.map((realm) => [keysOf(realm.realmId).stream, realm]));
    const positions = realms.map((realm) => `${realm.position}-0`);
    const reply = await this.redis.xreadBuffer(
      'COUNT',
      COUNT_PER_STREAM,
      'BLOCK',
      BLOCK_MS,
      'STREAMS',
      ...byStream.keys(),
      ...positions,
    );
    for (const [stream, entries] of streamsReply.parse(reply) ?? []) {
      const realm = byStream.get(stream.toString());
      for (const [id, [, packed]] of entries) {
        if (packed) realm?.follow(readChange(Number.parseInt(id.toString(), 10), packed));
      }
    }
    return reply === null ? 0 : GATHER_MS;
  }
}
