import type { SeededRandom } from '#test/seeded-random';
import type { LawPhone } from './screen-phone.fixture.js';
import type { ScreenWorld } from './screen-world.fixture.js';

/** Longer than a worker waits for an answer in this test. */
export const LATE_MS = 3000;

const refusals = {
  unavailable: {
    apns: { reason: 'ServiceUnavailable' },
    fcm: { reason: 'UNAVAILABLE' },
    web: { status: 503 },
  },
  throttled: {
    apns: { reason: 'TooManyRequests' },
    fcm: { reason: 'QUOTA_EXCEEDED' },
    web: { status: 429 },
  },
  dead: {
    apns: { reason: 'Unregistered' },
    fcm: { reason: 'UNREGISTERED' },
    web: { status: 410 },
  },
} as const;

const HOUR_MS = 3_600_000;

/** The faults of a provider at one phone. */
export const phoneFaults = {
  late: () => ({ delay_ms: LATE_MS }),
  lostAnswer: () => ({ no_answer: 'reset' }),
  noAnswer: () => ({ no_answer: 'hang' }),
  neitherShownNorAnswered: () => ({ no_answer: 'reset', shown: false }),
  unavailable: ({ platform }) => refusals.unavailable[platform],
  shownThenUnavailable: ({ platform }) => ({ ...refusals.unavailable[platform], shown: true }),
  throttled: ({ platform }) => ({ ...refusals.throttled[platform], retry_after: 1 }),
  lostByProvider: () => ({ shown: false }),
  dead: ({ platform }) => refusals.dead[platform],
} as const satisfies Readonly<
  Record<string, (phone: LawPhone) => Readonly<Record<string, string | number | boolean>>>
>;

/** `off`: a browser is off, and gets what its push service keeps when it is on again; nothing happens to other phones. */
export type PhoneFault = keyof typeof phoneFaults | 'off';

/** Lets the provider of a phone fail at its next push, or until `endFaults`. */
export async function letFail(
  world: ScreenWorld,
  phone: LawPhone,
  fault: PhoneFault,
  { isLasting = false } = {},
): Promise<void> {
  if (phone.isDead) return;
  world.log.push(`${new Date().toISOString().slice(11, 23)} ${phone.name}: ${fault}`);
  if (fault === 'off') {
    if (phone.platform === 'web') await world.system.sandbox.switchBrowser(phone.token, false);
    return;
  }
  const isOnce = !isLasting && fault !== 'dead';
  const script = { platform: phone.platform, ...phoneFaults[fault](phone) };
  await world.system.sandbox.answer(phone.token, { ...script, ...(isOnce && { times: 1 }) });
  if (fault !== 'dead') return;
  phone.isDead = true;
  await beGoneForLong(world);
}

/** A host that is not the service of a browser has to say twice that a subscription is gone, an hour apart. */
async function beGoneForLong({ phones, system }: ScreenWorld): Promise<void> {
  const endpoints = phones.flatMap(({ app, isDead }) =>
    isDead && 'browser' in app ? app.browser.endpoint : [],
  );
  await system.database.database.prisma.webPushSubscription.updateMany({
    where: { endpoint: { in: endpoints } },
    data: { goneSince: new Date(Date.now() - 2 * HOUR_MS) },
  });
}

export const letAnyFail = (
  world: ScreenWorld,
  random: SeededRandom,
  faults: readonly PhoneFault[],
): Promise<void> => letFail(world, random.pick(world.phones), random.pick(faults));

/** Ends the faults of all phones; dead ones stay dead. */
export async function endFaults(world: ScreenWorld): Promise<void> {
  const { sandbox } = world.system;
  for (const { token, platform, isDead } of world.phones) {
    if (!isDead) await sandbox.answerNormally(token);
    if (platform === 'web') await sandbox.switchBrowser(token, true);
  }
  await beGoneForLong(world);
}
