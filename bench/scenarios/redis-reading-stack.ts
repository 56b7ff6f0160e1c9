import { startRedisReading } from '../limits/redis-reading.js';
import type { CpuClocks } from '../measure/cpu-usage.js';
import { cpuClock } from '../measure/process-cpu.js';
import type { OnlineUser } from '../world/steady-realms.js';
import type { Bench } from './scenario.js';

/** The design that reads Redis on each poll, behind a gateway of Carillon. */
interface RedisReadingStack {
  /** The port of the gateway. */
  readonly port: number;
  readonly clocks: CpuClocks;
  readonly stop: () => Promise<void>;
}

/** Resolves when the stack is ready and these users are online. */
export async function startRedisReadingStack(
  { place, programs, redis, redisUrl }: Bench,
  users: readonly OnlineUser[],
): Promise<RedisReadingStack> {
  const presence = await startRedisReading(place, { redisUrl, users });
  const front = await programs.startGatewayBefore(presence.port);
  return {
    port: front.gatewayPort,
    clocks: {
      'api-gateway': cpuClock(front.pidOf('api-gateway')),
      'redis-reading': cpuClock(presence.pid),
      redis: () => redis.cpuSeconds(),
    },
    stop: async () => {
      await front.stop();
      await presence.stop();
    },
  };
}
