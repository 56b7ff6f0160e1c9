import type { z } from 'zod';

/** The queues of an installation and their jobs. The capability that owns the jobs declares them. */
export interface JobDeclaration {
  /** The jobs that a worker of each queue must handle. */
  readonly queues: Readonly<Record<string, readonly string[]>>;
  /** The payload of each job by its name. */
  readonly payloads: Readonly<Record<string, z.ZodType>>;
  /** Priorities are from 1, the most urgent, to this number. Jobs without a priority precede them. */
  readonly leastPriority: number;
}

export type QueueNameOf<Jobs extends JobDeclaration> = keyof Jobs['queues'] & string;

export type JobNameOf<Jobs extends JobDeclaration> = keyof Jobs['payloads'] & string;

/** The payload of a job after validation. */
export type PayloadOf<Jobs extends JobDeclaration, Name extends JobNameOf<Jobs>> = z.infer<
  Jobs['payloads'][Name]
>;
