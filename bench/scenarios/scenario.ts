import type { Progress } from '../../deploy/local/command.js';
import type { DatabaseMeter } from '../measure/database-meter.repository.js';
import type { RedisMeter } from '../measure/redis-meter.js';
import type { OurPrograms } from '../processes/our-programs.js';
import type { ProcessPlace } from '../processes/process-place.js';
import type { Finding } from '../results.js';
import type { BenchMessagesRepository } from '../world/bench-messages.repository.js';
import type { BenchWebRepository } from '../world/bench-web.repository.js';
import type { BenchWorldRepository } from '../world/bench-world.repository.js';

/** The resources of a scenario. */
export interface Bench {
  readonly place: ProcessPlace;
  readonly progress: Progress;
  readonly redisUrl: string;
  readonly world: BenchWorldRepository;
  readonly web: BenchWebRepository;
  readonly messages: BenchMessagesRepository;
  /** The messages of the channel that the scenarios of messages read. */
  readonly messageCount: number;
  readonly programs: OurPrograms;
  readonly redis: RedisMeter;
  readonly database: DatabaseMeter;
}

/** One figure of the results, or several with the same prefix. */
export interface Scenario {
  readonly name: string;
  /** A long scenario runs only if an argument is its full name. */
  readonly isLong?: boolean;
  measure(bench: Bench): Promise<Finding | Finding[]>;
}
