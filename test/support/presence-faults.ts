import { keysOf } from '#presence/store';
import type { SeededRandom } from './seeded-random.js';
import type { PresenceProcesses } from './presence-processes.js';
import type { RedisBackup, RedisPair } from './redis-pair.js';

/** A fault: its start, its effect and its repair, each at its own step. */
interface PresenceFault {
  prepare?(): Promise<void>;
  apply(): Promise<void>;
  repair?(): Promise<void>;
}

const faultNames = ['cut', 'flush', 'restart', 'promotion', 'clock', 'ids ahead'] as const;
export type PresenceFaultName = (typeof faultNames)[number];

/** A port without a listener. */
const NOWHERE = 'redis://127.0.0.1:1';
const HOUR_MS = 3_600_000;
const AHEAD_MS = 200_000;

/** The target of a fault. */
export interface PresenceTargets {
  readonly redis: RedisPair;
  readonly processes: PresenceProcesses;
  readonly realmId: number;
}

export function presenceFault(
  name: PresenceFaultName,
  { redis, processes, realmId }: PresenceTargets,
  random: SeededRandom,
): PresenceFault {
  const moveAll = () => {
    for (const proxy of processes.proxies()) proxy.switchTo(redis.url);
  };
  let backup: RedisBackup = new Map();
  switch (name) {
    case 'cut':
      return {
        async apply() {
          for (const proxy of processes.proxies()) if (random.next() < 0.5) proxy.disconnect();
        },
      };
    case 'flush':
      return { apply: () => redis.run(async (connection) => void (await connection.flushall())) };
    // The last writes are lost.
    case 'restart':
      return {
        async prepare() {
          backup = await redis.backUp();
        },
        async apply() {
          for (const proxy of processes.proxies()) proxy.switchTo(NOWHERE);
          await redis.restartFrom(backup);
        },
        repair: async () => moveAll(),
      };
    // The replica lacks the last writes, and for a time some processes write to the old primary.
    case 'promotion':
      return {
        prepare: async () => redis.lag(),
        async apply() {
          await redis.promote();
          for (const proxy of processes.proxies())
            if (random.next() < 0.5) proxy.switchTo(redis.url);
        },
        async repair() {
          moveAll();
          await redis.reunite();
        },
      };
    case 'clock':
      return {
        async apply() {
          processes.clockOffsetMs -= HOUR_MS;
        },
      };
    // As if the clock of Redis had been ahead and stepped back: the ids continue by one.
    case 'ids ahead':
      return {
        apply: () =>
          redis.run(async (connection) => {
            const top = String((Date.now() + AHEAD_MS) * 1000);
            await connection.hset(keysOf(realmId).meta, 'top', top);
          }),
      };
  }
}
