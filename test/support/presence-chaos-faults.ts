import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from './seeded-random.js';
import type { ChaosPrograms } from './presence-chaos-programs.js';
import type { ThrowawayRedis } from './throwaway-redis.js';

const ALL_AWAY_MS = 3000;
const MAX_PAUSED_MS = 4000;
const MAX_AWAY_MS = 1500;
const MAX_CALM_MS = 1500;

/** The targets of the faults. */
interface ChaosTargets {
  readonly programs: ChaosPrograms;
  readonly redis: ThrowawayRedis;
}

const faults = {
  async crash({ programs }: ChaosTargets, random: SeededRandom) {
    const victim = random.pick(programs.processes);
    await victim.kill();
    await delay(random.between(0, MAX_AWAY_MS));
    await victim.start();
  },
  async pause({ programs }: ChaosTargets, random: SeededRandom) {
    const victim = random.pick(programs.processes);
    victim.pause();
    await delay(random.between(0, MAX_PAUSED_MS));
    victim.continue();
  },
  async restart({ programs }: ChaosTargets, random: SeededRandom) {
    const victim = random.pick(programs.processes);
    await victim.stop();
    await victim.start();
  },
  async 'all down'({ programs: { processes } }: ChaosTargets) {
    await Promise.all(processes.map((victim) => victim.kill()));
    await delay(ALL_AWAY_MS);
    await Promise.all(processes.map((victim) => victim.start()));
  },
  async 'restart a gateway'({ programs }: ChaosTargets, random: SeededRandom) {
    const victim = random.pick(programs.gateways);
    await victim.stop();
    await victim.start();
  },
  async 'crash Redis'({ redis }: ChaosTargets, random: SeededRandom) {
    await killOutright(redis);
    await delay(random.between(0, MAX_AWAY_MS));
    await redis.startAgain();
  },
  async 'empty Redis'({ redis }: ChaosTargets) {
    await redis.run((connection) => connection.flushall());
  },
} as const;

type Fault = keyof typeof faults;

/** A short run has each fault once. */
const course: readonly Fault[] = [
  'crash',
  'crash',
  'crash',
  'pause',
  'pause',
  'restart',
  'restart',
  'all down',
  'restart a gateway',
  'crash Redis',
  'crash Redis',
  'empty Redis',
  'empty Redis',
];

/**
 * Causes one fault after another, in a random order; resolves with that order when all faults have ended. Each fault
 * starts when no reports of the previous one are buffered, because a crash of one program would lose buffered reports.
 */
export async function causePresenceFaults(
  targets: ChaosTargets,
  random: SeededRandom,
  isLong: boolean,
): Promise<Fault[]> {
  const order = random.shuffled(isLong ? course : [...new Set(course)]);
  for (const name of order) {
    await delay(random.between(0, MAX_CALM_MS));
    await faults[name](targets, random);
    await targets.programs.untilNothingIsBuffered();
  }
  return order;
}

async function killOutright(redis: ThrowawayRedis): Promise<void> {
  const info = await redis.run((connection) => connection.info('server'));
  const pid = Number(/process_id:(\d+)/.exec(info)?.[1]);
  // In a container the id of the process is 1, which is another process on the host: send no signal to it.
  if (pid > 1) process.kill(pid, 'SIGKILL');
  await redis.kill();
}
