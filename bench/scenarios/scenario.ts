import type { Progress } from '../../deploy/local/command.js';
import type { DatabaseMeter } from '../measure/database-meter.repository.js';
import type { RedisMeter } from '../measure/redis-meter.js';
import type { OurPrograms } from '../processes/our-programs.js';
import type { ProcessPlace } from '../processes/process-place.js';
import type { Finding } from '../results.js';
import type { BenchWorldRepository } from '../world/bench-world.repository.js';

/** What a scenario works with. */
export interface Bench {
  readonly place: ProcessPlace;
  readonly progress: Progress;
  readonly redisUrl: string;
  readonly world: BenchWorldRepository;
  readonly programs: OurPrograms;
  readonly redis: RedisMeter;
  readonly database: DatabaseMeter;
}

/** One line of the results, or a few whose names begin alike. */
export interface Scenario {
  readonly name: string;
  /** Takes so long that it is measured only when it is named in full. */
  readonly isLong?: boolean;
  measure(bench: Bench): Promise<Finding | Finding[]>;
}
