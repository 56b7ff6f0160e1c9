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

/**
 * Brings last seen to PostgreSQL a batch at a time. A crash loses at most one period of it, and never
 * an update id: Redis has those.
 */
export class WriteBehind {
  readonly #due = new Map<number, LastSeen>();
  readonly #logger = new Logger(WriteBehind.name);
  readonly #task: PeriodicTask;
  #flushing: Promise<void> = Promise.resolve();

  constructor(
    private readonly storage: LastSeenStorage,
    flushMs: number,
    private readonly counters: PresenceCounters,
  ) {
    this.#task = new PeriodicTask(flushMs, () => this.flush());
  }

  /** The number of users whose last seen is still to be written. */
  get dueUsers(): number {
    return this.#due.size;
  }

  start(): void {
    this.#task.start();
  }

  note(realmId: number, entry: PresenceEntry): void {
    const due = this.#due.get(entry.userId);
    if (!due || due.entry.id < entry.id) this.#due.set(entry.userId, { realmId, entry });
  }

  /** Writes all that is due; what PostgreSQL does not take stays due. Never rejects. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#writeAll());
    return this.#flushing;
  }

  /** Writes one user's last seen before its turn, if it is due. Never rejects. */
  flushUser(userId: number): Promise<void> {
    const due = this.#due.get(userId);
    this.#flushing = this.#flushing.then(async () => {
      if (due) await this.#write([due]);
    });
    return this.#flushing;
  }

  /** Ends the periods and writes what is due. */
  async stop(): Promise<void> {
    await this.#task.stop();
    await this.flush();
  }

  async #writeAll(): Promise<void> {
    const seen = [...this.#due.values()];
    for (let start = 0; start < seen.length; start += ROWS_PER_STATEMENT) {
      if (!(await this.#write(seen.slice(start, start + ROWS_PER_STATEMENT)))) return;
    }
  }

  async #write(rows: readonly LastSeen[]): Promise<boolean> {
    try {
      await this.storage.save(rows);
    } catch (error) {
      this.counters.writeFailures += 1;
      this.#logger.warn(`Last seen could not be written: ${String(error)}`);
      return false;
    }
    for (const row of rows) {
      // What changed while it was being written is due again.
      if (this.#due.get(row.entry.userId) === row) this.#due.delete(row.entry.userId);
    }
    return true;
  }
}
