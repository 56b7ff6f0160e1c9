import { keysOf } from '#presence';
import type { PresenceProcesses } from './presence-processes.js';
import type { Dice } from './dice.js';
import type { RedisBackup, RedisPair } from './redis-pair.js';

/** What befalls presence: the beginning, the blow and the mending, each at a moment of its own. */
export interface PresenceFault {
  begin?(): Promise<void>;
  strike(): Promise<void>;
  mend?(): Promise<void>;
}

export const faultNames = ['cut', 'flush', 'restart', 'promotion', 'clock', 'ids ahead'] as const;
export type PresenceFaultName = (typeof faultNames)[number];

/** Nobody listens there. */
const NOWHERE = 'redis://127.0.0.1:1';
const HOUR_MS = 3_600_000;
const AHEAD_MS = 200_000;

/** What a fault is done to. */
export interface PresenceTargets {
  readonly redis: RedisPair;
  readonly processes: PresenceProcesses;
  readonly realmId: number;
}

export function presenceFault(
  name: PresenceFaultName,
  { redis, processes, realmId }: PresenceTargets,
  dice: Dice,
): PresenceFault {
  const moveAll = () => {
    for (const wire of processes.wires()) wire.moveTo(redis.url);
  };
  let backup: RedisBackup = new Map();
  switch (name) {
    case 'cut':
      return {
        async strike() {
          for (const wire of processes.wires()) if (dice.roll() < 0.5) wire.cut();
        },
      };
    case 'flush':
      return { strike: () => redis.run(async (connection) => void (await connection.flushall())) };
    // The last writes are lost.
    case 'restart':
      return {
        async begin() {
          backup = await redis.backUp();
        },
        async strike() {
          for (const wire of processes.wires()) wire.moveTo(NOWHERE);
          await redis.restartFrom(backup);
        },
        mend: async () => moveAll(),
      };
    // The replica has not heard of the last writes, and for a while some processes write to the old primary.
    case 'promotion':
      return {
        begin: async () => redis.lag(),
        async strike() {
          await redis.promote();
          for (const wire of processes.wires()) if (dice.roll() < 0.5) wire.moveTo(redis.url);
        },
        async mend() {
          moveAll();
          await redis.reunite();
        },
      };
    case 'clock':
      return {
        async strike() {
          processes.clockOffsetMs -= HOUR_MS;
        },
      };
    // As after a time in which the clock of Redis was ahead: it has stepped back, and the ids go on.
    case 'ids ahead':
      return {
        strike: () =>
          redis.run(async (connection) => {
            const top = String((Date.now() + AHEAD_MS) * 1000);
            await connection.hset(keysOf(realmId).meta, 'top', top);
          }),
      };
  }
}
