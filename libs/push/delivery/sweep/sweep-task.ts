import type { GracePeriods } from './sweep.repository.js';

/** A pass of the sweep. */
export interface SweepPass {
  /** Read from the queues when the first task asks for them. Never rejects. */
  gracePeriods(): Promise<GracePeriods>;
  /** Whether the process shuts down: another worker's pass does the rest. */
  isStopped(): boolean;
}

/** A part of each pass: it adds the jobs of pending work that Redis has lost, or removes old rows. */
export interface SweepTask {
  /** Rejects when PostgreSQL is down. */
  sweep(pass: SweepPass): Promise<void>;
}

/** DI token of the SweepTasks of a worker, in their order. */
export const SWEEP_TASKS = Symbol('SweepTasks');
