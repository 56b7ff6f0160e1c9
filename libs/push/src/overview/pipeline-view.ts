import type { PendingDeliveries } from '../observe/push-backlog.repository.js';
import type { PushOverviewReport } from '../observe/push-overview.js';
import type { DeadLetterCount } from '../operate/dead-letter.repository.js';

/** All that there is to see of the push pipeline; a part is null while the store that it is in is away. */
export interface PipelineParts {
  /** What Redis knows. */
  readonly pipeline: PushOverviewReport | null;
  /** What PostgreSQL knows. */
  readonly letters: readonly DeadLetterCount[] | null;
  /** Null also while there is so much of it that the look takes long. */
  readonly backlog: readonly PendingDeliveries[] | null;
}

/** Since when a store has not answered, in UNIX milliseconds; null while it does. */
export interface AwaySince {
  readonly redis: number | null;
  readonly postgres: number | null;
}
