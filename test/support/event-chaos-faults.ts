import { setTimeout as delay } from 'node:timers/promises';
import type { ChaosProgram } from './chaos-program.js';
import type { SeededRandom } from './seeded-random.js';
import type { System } from './start-system.js';
import type { ThrowawayPostgres } from './throwaway-postgres.js';
import type { ThrowawayRedis } from './throwaway-redis.js';

const MAX_CALM_MS = 700;
const MAX_AWAY_MS = 1500;

/** The targets of the faults. */
interface EventChaosTargets {
  readonly system: System;
  readonly gateways: readonly ChaosProgram[];
  readonly presence: ChaosProgram;
  readonly worker: ChaosProgram;
  readonly redis: ThrowawayRedis;
  readonly postgres: ThrowawayPostgres;
  /** Resolves when the balancer sends requests to all gateways. */
  readonly untilAllAreUsed: () => Promise<void>;
}

const END_CONNECTIONS = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

const faults = {
  'crash a gateway': ({ gateways }: EventChaosTargets, random: SeededRandom) =>
    crash(random.pick(gateways), random),
  'crash presence': ({ presence }: EventChaosTargets, random: SeededRandom) =>
    crash(presence, random),
  'crash the push worker': ({ worker }: EventChaosTargets, random: SeededRandom) =>
    crash(worker, random),
  async 'restart the gateways in turn'({ gateways, untilAllAreUsed }: EventChaosTargets) {
    for (const gateway of gateways) {
      await gateway.stop();
      await gateway.start();
      await untilAllAreUsed();
    }
  },
  async 'empty Redis'({ redis }: EventChaosTargets) {
    await redis.run((connection) => connection.flushall());
  },
  async 'restart Redis without its data'({ redis }: EventChaosTargets, random: SeededRandom) {
    await redis.kill();
    await delay(random.between(0, MAX_AWAY_MS));
    await redis.startAgain();
  },
  async 'end all connections of PostgreSQL'({ system }: EventChaosTargets) {
    await system.database.database.prisma.$queryRawUnsafe(END_CONNECTIONS);
  },
  async 'crash PostgreSQL'({ postgres }: EventChaosTargets) {
    await postgres.crash();
  },
  async 'restart PostgreSQL'({ postgres }: EventChaosTargets, random: SeededRandom) {
    await postgres.restart(() => delay(random.between(0, MAX_AWAY_MS)));
  },
} as const;

async function crash(victim: ChaosProgram, random: SeededRandom): Promise<void> {
  await victim.kill();
  await delay(random.between(0, MAX_AWAY_MS));
  await victim.start();
}

export type EventFault = keyof typeof faults;

/** Causes each fault once, in a random order; resolves with that order when all faults have ended. */
export async function causeEventFaults(
  targets: EventChaosTargets,
  random: SeededRandom,
): Promise<EventFault[]> {
  // Object.keys has a wider type.
  const order = random.shuffled(Object.keys(faults) as EventFault[]);
  for (const name of order) {
    await targets.untilAllAreUsed();
    await delay(random.between(0, MAX_CALM_MS));
    await faults[name](targets, random);
  }
  await targets.untilAllAreUsed();
  return order;
}
