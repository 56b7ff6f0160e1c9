import type { SeededRandom } from '#test/seeded-random';
import type { LawPhone } from './screen-phone.fixture.js';
import type { ScreenWorld } from './screen-world.fixture.js';

/** Longer than a worker waits for an answer in this test. */
export const LATE_MS = 3000;

const refusals = {
  unavailable: { apns: 'ServiceUnavailable', fcm: 'UNAVAILABLE' },
  throttled: { apns: 'TooManyRequests', fcm: 'QUOTA_EXCEEDED' },
  dead: { apns: 'Unregistered', fcm: 'UNREGISTERED' },
} as const;

/** The faults of a provider at one phone. */
export const phoneFaults = {
  late: () => ({ delay_ms: LATE_MS }),
  lostAnswer: () => ({ no_answer: 'reset' }),
  noAnswer: () => ({ no_answer: 'hang' }),
  neitherShownNorAnswered: () => ({ no_answer: 'reset', shown: false }),
  unavailable: ({ platform }) => ({ reason: refusals.unavailable[platform] }),
  shownThenUnavailable: ({ platform }) => ({
    reason: refusals.unavailable[platform],
    shown: true,
  }),
  throttled: ({ platform }) => ({
    reason: refusals.throttled[platform],
    retry_after: 1,
  }),
  lostByProvider: () => ({ shown: false }),
  dead: ({ platform }) => ({ reason: refusals.dead[platform] }),
} as const satisfies Readonly<
  Record<string, (phone: LawPhone) => Readonly<Record<string, string | number | boolean>>>
>;

export type PhoneFault = keyof typeof phoneFaults;

/** Lets the provider of a phone fail at its next push, or until `endFaults`. */
export async function letFail(
  world: ScreenWorld,
  phone: LawPhone,
  fault: PhoneFault,
  { isLasting = false } = {},
): Promise<void> {
  if (phone.isDead) return;
  const isOnce = !isLasting && fault !== 'dead';
  const script = { platform: phone.platform, ...phoneFaults[fault](phone) };
  await world.system.sandbox.answer(phone.token, { ...script, ...(isOnce && { times: 1 }) });
  world.log.push(`${new Date().toISOString().slice(11, 23)} ${phone.name}: ${fault}`);
  if (fault === 'dead') phone.isDead = true;
}

export const letAnyFail = (
  world: ScreenWorld,
  random: SeededRandom,
  faults: readonly PhoneFault[],
): Promise<void> => letFail(world, random.pick(world.phones), random.pick(faults));

/** Ends the faults of all phones; dead ones stay dead. */
export async function endFaults(world: ScreenWorld): Promise<void> {
  for (const { token, isDead } of world.phones) {
    if (!isDead) await world.system.sandbox.answerNormally(token);
  }
}
