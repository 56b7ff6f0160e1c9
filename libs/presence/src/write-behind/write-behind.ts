import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { PresenceCounters } from '../presence-counters.js';
import { PeriodicTask } from '../schedule/periodic-task.js';
import type { PresenceEntry } from '../state/presence-entry.js';
import type { LastSeen } from './user-presence.repository.js';

/** Where last seen is kept. Rejects when it is away. */
export interface LastSeenStorage {
  save(seen: readonly LastSeen[]): Promise<void>;
}

const ROWS_PER_STATEMENT = 1000;

/** Who reads last seen there wants to know of whom it is less than this ago. */
const LATELY_SECONDS = 200;

/** Clients that are there report every 60 seconds: so much is no news of anybody. */
const LEAST_NEWS_SECONDS = 60;

/** Those who come back or change what they share within so much of the last such write go together. */
const AT_ONCE_PAUSE_MS = 50;

/**
 * Brings last seen to PostgreSQL a batch at a time. A crash loses at most one period of it, and never
 * an update id: Redis has those.
 *
 * That somebody is back does not wait for the period: until PostgreSQL knows of it their phones are told
 * what they see on their screens.
 */
export class WriteBehind {
  readonly #due = new Map<number, LastSeen>();
  /** When each user was last active as far as PostgreSQL is known to know, by realm. */
  readonly #knownActiveAt = new Map<number, Map<number, number>>();
  /** Whose last seen does not wait for the period. */
  readonly #atOnce = new Set<number>();
  readonly #newsSeconds: number;
  readonly #logger = new Logger(WriteBehind.name);
  readonly #task: PeriodicTask;
  #flushing: Promise<void> = Promise.resolve();
  /** Whether a write is to come that all whose turn is at once will be in. */
  #isAtOncePlanned = false;
  #wroteAtOnceAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly storage: LastSeenStorage,
    flushMs: number,
    private readonly counters: PresenceCounters,
  ) {
    this.#task = new PeriodicTask(flushMs, () => this.flush());
    // With what trails by a period and its jitter, it must not add up to more than is asked for.
    this.#newsSeconds = Math.max(LEAST_NEWS_SECONDS, LATELY_SECONDS - (2 * flushMs) / 1000);
  }

  /** The number of users whose last seen is still to be written. */
  get dueUsers(): number {
    return this.#due.size;
  }

  start(): void {
    this.#task.start();
  }

  /** Takes what PostgreSQL has just been read to know: else a restart would make news of everybody. */
  learn(realmId: number, saved: readonly PresenceEntry[]): void {
    for (const { userId, activeAt } of saved) this.#know(realmId, userId, activeAt);
  }

  note(realmId: number, entry: PresenceEntry): void {
    const due = this.#due.get(entry.userId);
    if (due && due.entry.id >= entry.id) return;
    this.#due.set(entry.userId, { realmId, entry });
    const knownActiveAt = this.#knownActiveAt.get(realmId)?.get(entry.userId) ?? 0;
    if (entry.activeAt - knownActiveAt >= this.#newsSeconds) this.#writeAtOnce(entry.userId);
  }

  /**
   * Of a user who is back and of whom PostgreSQL does not know it: resolves when it does, or does not take
   * it. Null for all others.
   */
  whenKnown(userId: number): Promise<void> | null {
    return this.#atOnce.has(userId) ? this.#flushing : null;
  }

  /** Writes all that is due; what PostgreSQL does not take stays due. Never rejects. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#writeAll());
    return this.#flushing;
  }

  /** Writes one user's last seen before its turn, if it is due. Never rejects. */
  async flushUser(userId: number): Promise<void> {
    if (!this.#due.has(userId)) return;
    this.#writeAtOnce(userId);
    await this.#flushing;
  }

  /** Forgets what PostgreSQL is known to know of a realm; what is due stays due. */
  forget(realmId: number): void {
    this.#knownActiveAt.delete(realmId);
  }

  /** Ends the periods and writes what is due. */
  async stop(): Promise<void> {
    await this.#task.stop();
    await this.flush();
  }

  /** However many they are, the statements of a second are few. */
  #writeAtOnce(userId: number): void {
    this.#atOnce.add(userId);
    if (this.#isAtOncePlanned) return;
    this.#isAtOncePlanned = true;
    this.#flushing = this.#flushing.then(async () => {
      const pauseMs = this.#wroteAtOnceAtMs + AT_ONCE_PAUSE_MS - performance.now();
      if (pauseMs > 0) await delay(pauseMs);
      this.#isAtOncePlanned = false;
      const userIds = [...this.#atOnce];
      await this.#writeSlices(userIds.flatMap((one) => this.#due.get(one) ?? []));
      this.#wroteAtOnceAtMs = performance.now();
      for (const one of userIds) this.#atOnce.delete(one);
    });
  }

  #know(realmId: number, userId: number, activeAt: number): void {
    const known = this.#knownActiveAt.get(realmId) ?? new Map<number, number>();
    this.#knownActiveAt.set(realmId, known.set(userId, activeAt));
  }

  #writeAll(): Promise<void> {
    return this.#writeSlices([...this.#due.values()]);
  }

  async #writeSlices(seen: readonly LastSeen[]): Promise<void> {
    for (let start = 0; start < seen.length; start += ROWS_PER_STATEMENT) {
      if (!(await this.#write(seen.slice(start, start + ROWS_PER_STATEMENT)))) return;
    }
  }

  async #write(rows: readonly LastSeen[]): Promise<boolean> {
    const beganAtMs = performance.now();
    try {
      await this.storage.save(rows);
    } catch (error) {
      this.counters.writeFailures += 1;
      this.#logger.warn(`Last seen could not be written: ${String(error)}`);
      return false;
    } finally {
      this.counters.writeSeconds.observe((performance.now() - beganAtMs) / 1000);
    }
    for (const row of rows) {
      this.#know(row.realmId, row.entry.userId, row.entry.activeAt);
      // What changed while it was being written is due again.
      if (this.#due.get(row.entry.userId) === row) this.#due.delete(row.entry.userId);
    }
    return true;
  }
}
