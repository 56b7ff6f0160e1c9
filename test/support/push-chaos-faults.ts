import { setTimeout as delay } from 'node:timers/promises';
import type { Platform } from '#contracts';
import { ChaosProgram } from './chaos-program.js';
import type { Dice } from './dice.js';
import type { SandboxClient } from './sandbox-client.js';
import type { ThrowawayRedis } from './throwaway-redis.js';

/** Everything that a provider can be made to do to all of its clients. */
const modes = [
  { mode: 'hang' },
  { mode: 'reset' },
  { mode: 'down' },
  { mode: 'blackhole' },
  { mode: 'goaway' },
  { mode: 'slow', delay_ms: 300 },
  { mode: 'throttle', retry_after: 1 },
  { mode: 'bad_credentials' },
] as const;

/** How many faults there were, of the kinds after which a push may be shown twice. */
export interface ChaosTally {
  /** Of a worker, with whatever it had sent and not written down. */
  kills: number;
  /** Of a provider's connections, with whatever it had answered and nobody heard. */
  broken: number;
}

/** What there is to break. */
export interface ChaosTargets {
  readonly sandbox: SandboxClient;
  readonly workers: readonly ChaosProgram[];
  readonly redis: ThrowawayRedis;
}

/** Has a provider behave in each mode for some seconds, in an order of the dice's; all is well after. */
export async function troubleProvider(
  { sandbox }: ChaosTargets,
  platform: Platform,
  dice: Dice,
  tally: ChaosTally,
): Promise<void> {
  for (const mode of dice.shuffled(modes)) {
    await delay(dice.between(300, 1200));
    await sandbox.setMode(platform, mode);
    tally.broken += 1;
    await delay(dice.between(1200, 3000));
    await sandbox.setMode(platform, { mode: 'ok' });
  }
}

/** Kills workers and restarts Redis, in an order of the dice's; all of them run after. */
export async function troublePrograms(
  { workers, redis }: ChaosTargets,
  dice: Dice,
  tally: ChaosTally,
): Promise<void> {
  for (const victim of dice.shuffled([...workers, ...workers, redis, redis])) {
    await delay(dice.between(1500, 3500));
    if (victim instanceof ChaosProgram) {
      await victim.kill();
      tally.kills += 1;
      await delay(dice.between(0, 1500));
      await victim.start();
    } else {
      await victim.restart();
    }
  }
}
