import type { Platform, QueueName } from '#contracts';
import type { GateStatus, PruneAlarm } from './gate-statuses.js';

/** What a worker says of itself every two seconds. Times are UNIX milliseconds. */
export interface WorkerReport {
  /** Drawn when the process starts. */
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly queues: readonly QueueName[];
  readonly startedAt: number;
  readonly reportedAt: number;
  /** Pushes that wait for a provider's answer. */
  readonly inFlight: number;
  /** When the oldest of them was sent; null when none waits. */
  readonly oldestInFlightAt: Readonly<Record<Platform, number | null>>;
  readonly gates: readonly GateStatus[];
  readonly pruneAlarms: readonly PruneAlarm[];
}

/** How often each outcome came in ten seconds. */
export interface OutcomeBucket {
  /** When the ten seconds began, in UNIX milliseconds. */
  readonly at: number;
  /** By `<platform>:<outcome>`, the outcome being a delivery's end, `accepted`, `retried` or `held`. */
  readonly counts: Readonly<Record<string, number>>;
}
