import { setTimeout as delay } from 'node:timers/promises';
import type { PhonePlatform, Platform } from '#push/jobs';
import { ChaosProgram } from './chaos-program.js';
import type { SeededRandom } from './seeded-random.js';
import type { SandboxClient } from './sandbox-client.js';
import type { ThrowawayRedis } from './throwaway-redis.js';

/** The faulty modes of a provider. */
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

type Mode = (typeof modes)[number];

/** The modes in which an answer may be lost. In the others the provider answers each push. */
const LOSING_ANSWERS: ReadonlySet<Mode['mode']> = new Set([
  'hang',
  'reset',
  'down',
  'blackhole',
  'goaway',
]);

/**
 * The modes of a push service that users have chosen, in random order; in a short run one of them, since such a service gets no
 * push again for ten seconds. A refused sign-in means there that the message is at fault.
 */
export function hostFaults(random: SeededRandom, isLong: boolean): readonly Mode[] {
  const order = random.shuffled(modes.filter(({ mode }) => mode !== 'bad_credentials'));
  return isLong ? order : order.slice(0, 1);
}

/** All modes for each provider in random order; in a short run each mode for one of the two providers. */
export function providerFaults(
  random: SeededRandom,
  isLong: boolean,
): Record<PhonePlatform, readonly Mode[]> {
  if (isLong) return { apns: random.shuffled(modes), fcm: random.shuffled(modes) };
  const order = random.shuffled(modes);
  const half = order.length / 2;
  return { apns: order.slice(0, half), fcm: order.slice(half) };
}

/** The number of faults after which a push may be shown twice. */
export interface ChaosTally {
  /** Killed workers: sent pushes may be unrecorded. */
  kills: number;
  /** Broken connections of a provider: its answers may be lost. */
  broken: number;
}

/** The programs and stores that can fail. */
export interface ChaosTargets {
  readonly sandbox: SandboxClient;
  readonly workers: readonly ChaosProgram[];
  readonly redis: ThrowawayRedis;
}

/** Puts a provider into each of these modes for some seconds, then back to normal. */
export async function injectProviderFaults(
  { sandbox }: ChaosTargets,
  platform: Platform,
  plan: { readonly modes: readonly Mode[]; readonly random: SeededRandom },
  tally: ChaosTally,
): Promise<void> {
  const { random } = plan;
  for (const mode of plan.modes) {
    await delay(random.between(300, 1200));
    await sandbox.setMode(platform, mode);
    if (LOSING_ANSWERS.has(mode.mode)) tally.broken += 1;
    await delay(random.between(1200, 3000));
    await sandbox.setMode(platform, { mode: 'ok' });
  }
}

/** Kills workers and restarts Redis in random order: each once, in a long run twice. All of them run afterwards. */
export async function injectProgramFaults(
  { workers, redis }: ChaosTargets,
  random: SeededRandom,
  { tally, isLong }: { readonly tally: ChaosTally; readonly isLong: boolean },
): Promise<void> {
  const once = [...workers, redis];
  for (const victim of random.shuffled(isLong ? [...once, ...once] : once)) {
    await delay(random.between(1500, 3500));
    if (victim instanceof ChaosProgram) {
      await victim.kill();
      tally.kills += 1;
      await delay(random.between(0, 1500));
      await victim.start();
    } else {
      await victim.restart();
    }
  }
}
