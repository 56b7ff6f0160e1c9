import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { atMost } from '#platform/core';
import type { QueueOptions } from '#events/declarations';
import { noProgress, type QueueProgress } from './poll.js';
import type { EventQueue } from './queue.js';
import { QueueNotices } from './queue-notices.js';
import { QueueRepository } from './queue.repository.js';
import { exactLifeSeconds, storedLifeSeconds } from './queue-lifetime.rules.js';

const MAX_CACHED = 50_000;
/** Most clients of an app have the same options, whose JSON text has about 300 characters. */
const MAX_OPTIONS_CHARACTERS = 2_000_000;

/** A queue, and when PostgreSQL is to store its lifetime again. */
export interface CachedQueue {
  readonly queue: EventQueue;
  /** When PostgreSQL had the queue; in milliseconds of `performance.now()`. */
  knownAt: number;
  /** In milliseconds of `performance.now()`. */
  extendAt: number;
  readonly progress: QueueProgress;
}

/** The queues of the recent polls of this gateway. PostgreSQL stores the lifetime of a queue, with a reserve. */
@Injectable()
export class QueueCache {
  readonly #cache = new LRUCache<string, CachedQueue>(atMost(MAX_CACHED));
  /** By their JSON text. Queues with the same options share one object. */
  readonly #options = new LRUCache<string, QueueOptions>({
    maxSize: MAX_OPTIONS_CHARACTERS,
    sizeCalculation: (_options, text) => text.length,
  });

  constructor(
    private readonly queues: QueueRepository,
    private readonly notices: QueueNotices,
  ) {
    notices.onDeleted((queueIds) => {
      for (const id of queueIds) this.#cache.delete(id);
    });
  }

  /** Adds a queue whose lifetime was stored just now. */
  add(queue: EventQueue): void {
    this.#set(queue, performance.now(), extensionOf(queue));
  }

  /** A queue of the account that this gateway knows, with all notices of deletions since then; otherwise null. */
  get(queueId: string, userId: number): CachedQueue | null {
    const cached = this.#cache.get(queueId);
    if (cached?.queue.userId !== userId) return null;
    return cached.knownAt < this.notices.completeSince ? null : cached;
  }

  /** The same, after a look into PostgreSQL for an unknown queue; null if the account has no such queue. */
  async find(queueId: string, userId: number): Promise<CachedQueue | null> {
    const cached = this.get(queueId, userId);
    if (cached !== null) return cached;
    const knownAt = performance.now();
    const found = await this.queues.find(queueId, userId);
    if (found === null) return null;
    const { remainingMs, ...queue } = found;
    const extendAt = performance.now() + remainingMs - exactLifeSeconds(queue) * 1000;
    return this.#set(queue, knownAt, extendAt);
  }

  /** Stores the lifetime of a queue again, with a poll after its `extendAt`. False if the queue has been deleted. */
  async extend(cached: CachedQueue): Promise<boolean> {
    const { queue } = cached;
    const knownAt = performance.now();
    if (!(await this.queues.extend(queue.id, storedLifeSeconds(queue)))) {
      this.#cache.delete(queue.id);
      return false;
    }
    cached.knownAt = knownAt;
    cached.extendAt = extensionOf(queue);
    return true;
  }

  /** Forgets a queue. */
  remove(queueId: string): void {
    this.#cache.delete(queueId);
  }

  /** Forgets all queues of an organisation. */
  removeAllOfRealm(realmId: number): void {
    for (const [id, { queue }] of this.#cache.entries()) {
      if (queue.realmId === realmId) this.#cache.delete(id);
    }
  }

  #set(queue: EventQueue, knownAt: number, extendAt: number): CachedQueue {
    const shared = { ...queue, options: this.#shared(queue.options) };
    // A queue that is looked up again keeps its progress.
    const progress = this.#cache.peek(queue.id)?.progress ?? noProgress();
    const cached = { queue: shared, progress, knownAt, extendAt };
    this.#cache.set(queue.id, cached);
    return cached;
  }

  #shared(options: QueueOptions): QueueOptions {
    const text = JSON.stringify(options);
    const known = this.#options.get(text);
    if (known === undefined) this.#options.set(text, options);
    return known ?? options;
  }
}

/** When a queue whose lifetime was just stored has to be stored again. */
const extensionOf = (queue: EventQueue): number =>
  performance.now() + (storedLifeSeconds(queue) - exactLifeSeconds(queue)) * 1000;
