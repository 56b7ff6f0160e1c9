import { Logger } from '@nestjs/common';
import type { Clock } from '#core';
import type { PresenceCounters } from '../presence-counters.js';
import { PeriodicTask } from '../schedule/periodic-task.js';
import {
  type ActivitySpan,
  dayBefore,
  spanOfInput,
  splitByDay,
  uniteSpans,
} from './activity-spans.rules.js';
import type { UserDaySpan } from './user-activity.repository.js';

/** Where activity is kept. Either rejects when it is away. */
export interface ActivityStorage {
  unite(spans: readonly UserDaySpan[]): Promise<void>;
  forgetBefore(day: string, most: number): Promise<number>;
}

/** As long as this is told what people did; what is older is forgotten. */
const USAGE_KEPT_DAYS = 400;

/** More than these together would make a statement that others wait for. */
const SPANS_PER_STATEMENT = 10_000;

/** While PostgreSQL is away no more users than these are remembered. */
const MOST_USERS = 200_000;

const FORGET_EVERY_MS = 3_600_000;
const FORGET_AT_ONCE = 5000;

/**
 * When people did something: gathered in memory, brought to PostgreSQL a period at a time, and forgotten in its time.
 * A crash loses at most one period.
 */
export class UsageStatistics {
  readonly #due = new Map<number, readonly ActivitySpan[]>();
  readonly #logger = new Logger(UsageStatistics.name);
  readonly #tasks: readonly PeriodicTask[];
  #flushing: Promise<void> = Promise.resolve();

  constructor(
    private readonly storage: ActivityStorage,
    flushMs: number,
    private readonly clock: Clock,
    private readonly counters: PresenceCounters,
  ) {
    this.#tasks = [
      new PeriodicTask(flushMs, () => this.flush()),
      new PeriodicTask(FORGET_EVERY_MS, () => this.forgetOld()),
    ];
  }

  start(): void {
    for (const task of this.#tasks) task.start();
  }

  /** A user did something at these UNIX seconds. */
  note(userId: number, at: number): void {
    this.#remember(userId, spanOfInput(at));
  }

  /** Writes all that is due; what PostgreSQL does not take stays due. Never rejects. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#writeAll());
    return this.#flushing;
  }

  /** Removes what is too old to be told, a batch at a time. Never rejects. */
  async forgetOld(): Promise<void> {
    const day = dayBefore(this.clock() / 1000, USAGE_KEPT_DAYS);
    try {
      while ((await this.storage.forgetBefore(day, FORGET_AT_ONCE)) === FORGET_AT_ONCE);
    } catch (error) {
      this.#logger.warn(`Old usage could not be removed: ${String(error)}`);
    }
  }

  /** Ends the periods and writes what is due. */
  async stop(): Promise<void> {
    await Promise.all(this.#tasks.map((task) => task.stop()));
    await this.flush();
  }

  async #writeAll(): Promise<void> {
    const due = [...this.#due].flatMap(([userId, spans]) =>
      spans.flatMap(splitByDay).map((span) => ({ userId, ...span })),
    );
    this.#due.clear();
    for (let start = 0; start < due.length; start += SPANS_PER_STATEMENT) {
      await this.#write(due.slice(start, start + SPANS_PER_STATEMENT));
    }
  }

  async #write(spans: readonly UserDaySpan[]): Promise<void> {
    try {
      await this.storage.unite(spans);
    } catch (error) {
      this.counters.usageFailures += 1;
      this.#logger.warn(`Usage could not be written: ${String(error)}`);
      for (const { userId, startedAt, endedAt } of spans) {
        this.#remember(userId, { startedAt, endedAt });
      }
    }
  }

  #remember(userId: number, span: ActivitySpan): void {
    const known = this.#due.get(userId);
    if (known === undefined && this.#due.size >= MOST_USERS) return;
    this.#due.set(userId, uniteSpans(known ?? [], span));
  }
}
