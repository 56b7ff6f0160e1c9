import type { CpuClocks } from '../measure/cpu-usage.js';
import { cpuClock } from '../measure/process-cpu.js';
import type { Bench } from './scenario.js';

/** The CPU clocks of all programs that process a poll. */
export const ourClocks = ({ programs, redis }: Bench): CpuClocks => ({
  'api-gateway': cpuClock(programs.pidOf('api-gateway')),
  presence: cpuClock(programs.pidOf('presence')),
  redis: () => redis.cpuSeconds(),
});
