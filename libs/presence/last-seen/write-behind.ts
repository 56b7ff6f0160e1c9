import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { counted, errorText, PeriodicTask, Sampler, slicesOf } from '#platform/core';
import type { PresenceCounters } from '#presence/metrics';
import type { PresenceEntry } from '#presence/rules';
import type { LastSeen } from './user-presence.repository.js';

/** The storage of last seen. Rejects when it is unavailable. */
export interface LastSeenStorage {
  save(seen: readonly LastSeen[]): Promise<void>;
}

const ROWS_PER_STATEMENT = 1000;

/** Readers of PostgreSQL check whether a user was seen within this time. */
const RECENT_SECONDS = 200;

/** Connected clients report every 60 seconds: a smaller difference is never urgent. */
const MINIMUM_URGENT_SECONDS = 60;

/** Minimum pause between urgent writes. Users who return in that time share one write. */
const URGENT_WRITE_PAUSE_MS = 50;

/**
 * Writes last seen to PostgreSQL in periodic batches. A crash loses at most one period, and no update id: Redis has those.
 *
 * The return of a user is written at once: until then, the user's phones get notifications of messages that the user
 * already sees on the screen.
 */
export class WriteBehind {
  readonly #due = new Map<number, LastSeen>();
  /** The last active time of each user in PostgreSQL, as far as known, by realm. */
  readonly #knownActiveAt = new Map<number, Map<number, number>>();
  /** Users whose last seen is written before the next period. */
  readonly #urgent = new Set<number>();
  readonly #urgentSeconds: number;
  readonly #logger = new Logger(WriteBehind.name);
  /** During an outage an urgent write fails for every user who returns. */
  readonly #failures = new Sampler();
  readonly #task: PeriodicTask;
  #flushing: Promise<void> = Promise.resolve();
  /** Whether a write of all urgent users is scheduled. */
  #isUrgentWritePlanned = false;
  #lastUrgentWriteAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly storage: LastSeenStorage,
    flushMs: number,
    private readonly counters: PresenceCounters,
  ) {
    this.#task = new PeriodicTask(flushMs, () => this.flush(), {
      failure: 'Last seen was not written',
    });
    // Together with the delay of a period and its jitter, it must stay below RECENT_SECONDS.
    this.#urgentSeconds = Math.max(MINIMUM_URGENT_SECONDS, RECENT_SECONDS - (2 * flushMs) / 1000);
  }

  /** The number of users with unwritten last seen. */
  get dueUsers(): number {
    return this.#due.size;
  }

  start(): void {
    this.#task.start();
  }

  /** Records entries that were just read from PostgreSQL. Without them, every user would be urgent after a restart. */
  seedKnown(realmId: number, saved: readonly PresenceEntry[]): void {
    for (const { userId, activeAt } of saved) this.#setKnownActiveAt(realmId, userId, activeAt);
  }

  add(realmId: number, entry: PresenceEntry): void {
    const due = this.#due.get(entry.userId);
    if (due && due.entry.id >= entry.id) return;
    this.#due.set(entry.userId, { realmId, entry });
    const knownActiveAt = this.#knownActiveAt.get(realmId)?.get(entry.userId) ?? 0;
    if (entry.activeAt - knownActiveAt >= this.#urgentSeconds) this.#writeUrgently(entry.userId);
  }

  /** Resolves when the urgent write of a user has succeeded or failed; null without one. */
  whenSaved(userId: number): Promise<void> | null {
    return this.#urgent.has(userId) ? this.#flushing : null;
  }

  /** Writes everything that is due. Failed rows stay due. Never rejects. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#writeAll());
    return this.#flushing;
  }

  /** Writes the last seen of a user at once, if it is due. Never rejects. */
  async flushUser(userId: number): Promise<void> {
    if (!this.#due.has(userId)) return;
    this.#writeUrgently(userId);
    await this.#flushing;
  }

  /** Forgets the known times of a realm. Due rows stay due. */
  forget(realmId: number): void {
    this.#knownActiveAt.delete(realmId);
  }

  /** Stops the periods and writes everything that is due. */
  async stop(): Promise<void> {
    await this.#task.stop();
    await this.flush();
  }

  /** The number of statements per second is bounded, for any number of urgent users. */
  #writeUrgently(userId: number): void {
    this.#urgent.add(userId);
    if (this.#isUrgentWritePlanned) return;
    this.#isUrgentWritePlanned = true;
    this.#flushing = this.#flushing.then(async () => {
      const pauseMs = this.#lastUrgentWriteAtMs + URGENT_WRITE_PAUSE_MS - performance.now();
      if (pauseMs > 0) await delay(pauseMs);
      this.#isUrgentWritePlanned = false;
      const userIds = [...this.#urgent];
      await this.#writeSlices(userIds.flatMap((one) => this.#due.get(one) ?? []));
      this.#lastUrgentWriteAtMs = performance.now();
      for (const one of userIds) this.#urgent.delete(one);
    });
  }

  #setKnownActiveAt(realmId: number, userId: number, activeAt: number): void {
    const known = this.#knownActiveAt.get(realmId) ?? new Map<number, number>();
    this.#knownActiveAt.set(realmId, known.set(userId, activeAt));
  }

  #writeAll(): Promise<void> {
    return this.#writeSlices([...this.#due.values()]);
  }

  async #writeSlices(seen: readonly LastSeen[]): Promise<void> {
    for (const rows of slicesOf(seen, ROWS_PER_STATEMENT)) {
      if (!(await this.#write(rows))) return;
    }
  }

  async #write(rows: readonly LastSeen[]): Promise<boolean> {
    const beganAtMs = performance.now();
    try {
      await this.storage.save(rows);
    } catch (error) {
      this.counters.writeFailures += 1;
      this.#logFailure(error);
      return false;
    } finally {
      this.counters.writeSeconds.observe((performance.now() - beganAtMs) / 1000);
    }
    for (const row of rows) {
      this.#setKnownActiveAt(row.realmId, row.entry.userId, row.entry.activeAt);
      // A row that changed during the write stays due.
      if (this.#due.get(row.entry.userId) === row) this.#due.delete(row.entry.userId);
    }
    return true;
  }

  #logFailure(error: unknown): void {
    const count = this.#failures.take();
    if (count === null) return;
    this.#logger.warn(
      `Last seen could not be written, ${counted(count, 'attempt')} since the last entry: ${errorText(error)}`,
    );
  }
}
