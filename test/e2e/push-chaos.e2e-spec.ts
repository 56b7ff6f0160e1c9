import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { PhonePlatform } from '#push/jobs';
import { groupBy } from '#platform/core';
import { lastLogLinesOf } from '#test/chaos-program';
import { chaosSeed, isLongRun } from '#test/chaos-run';
import { SeededRandom } from '#test/seeded-random';
import { eventually } from '#test/eventually';
import { addOrganisation } from '#test/organisation';
import { Phone } from '#test/phone';
import { Crowd, notificationIdOf, FALSE_REFUSALS } from '#test/push-chaos-crowd';
import {
  type ChaosTally,
  type ChaosTargets,
  injectProgramFaults,
  injectProviderFaults,
  providerFaults,
} from '#test/push-chaos-faults';
import { startChaosWorkers } from '#test/push-chaos-workers';
import type { SandboxDelivery } from '#test/sandbox-client';
import { ThrowawayRedis } from '#test/throwaway-redis';
import { useFixture } from '#test/use-fixture';
import { useSystem } from '#test/use-system';
import { untilDrained } from '#test/push-ledger';

jest.setTimeout(900_000);

const SEED = chaosSeed;
const PEOPLE = isLongRun ? 60 : 24;
const WORKERS = 2;
const CONCURRENCY = 8;
/** Both lanes of a platform: the maximum number of pushes of a worker between their response and its record. */
const IN_FLIGHT = 2 * CONCURRENCY;
/** The notifications to each phone while the other provider is down. */
const ROUNDS = 10;

const redis = useFixture(() => ThrowawayRedis.start({ keeps: true }));
const system = useSystem(() => ({
  programs: ['push-sandbox', 'presence', 'api-gateway'],
  environment: {
    REDIS_URL: redis.url,
    // This test is about faults, not about rate limits.
    RATE_LIMIT_USER: '60:100000',
    PUSH_TEST_WAIT_MS: '0',
    PUSH_CONCURRENCY: String(CONCURRENCY),
    PUSH_DEADLINE_MS: '2000',
  },
}));
let targets: ChaosTargets;

beforeAll(async () => {
  const workers = await startChaosWorkers(system, WORKERS);
  targets = { sandbox: system.sandbox, workers, redis };
});

const TEST = '/mobile_push/test_notification';
/** The code for a token that the provider does not know. */
const REFUSED = 'INVALID_REMOTE_PUSH_DEVICE_TOKEN';
const phoneOf = { apns: () => Phone.iphone(), fcm: () => Phone.android() } as const;

const restoreProviders = async () => {
  await system.sandbox.setMode('apns', { mode: 'ok' });
  await system.sandbox.setMode('fcm', { mode: 'ok' });
};

/** Waits until no delivery is pending. */
async function drained(): Promise<void> {
  try {
    await untilDrained(system.database.database.prisma);
  } catch (error) {
    throw new Error(await lastLogLinesOf(targets.workers), { cause: error });
  }
}

const shownIn = (deliveries: readonly SandboxDelivery[]) =>
  groupBy(
    deliveries.filter(({ status }) => status === 200),
    ({ token }) => token,
  );

describe(`Providers, workers and Redis that fail at random (--seed=${SEED})`, () => {
  const crowd = new Crowd(new SeededRandom(SEED));
  const tally: ChaosTally = { kills: 0, broken: 0 };

  beforeAll(async () => {
    await crowd.register(await addOrganisation(system), PEOPLE);
    await crowd.scriptAnswers(system.sandbox);
    const sending = new AbortController();
    const sent = crowd.sendUntilAborted(sending.signal);
    const modes = providerFaults(new SeededRandom(SEED + 4), isLongRun);
    await Promise.all([
      injectProviderFaults(
        targets,
        'apns',
        { modes: modes.apns, random: new SeededRandom(SEED + 1) },
        tally,
      ),
      injectProviderFaults(
        targets,
        'fcm',
        { modes: modes.fcm, random: new SeededRandom(SEED + 2) },
        tally,
      ),
      injectProgramFaults(targets, new SeededRandom(SEED + 3), { tally, isLong: isLongRun }),
    ]);
    await restoreProviders();
    sending.abort();
    await sent;
    // Includes phones without any notification so far.
    await crowd.notifyEach();
    await drained();
  });

  it('fail only requests for removed phones, and tests of a phone that its provider refuses', () => {
    const unexpected = crowd.refused.filter(({ behaviour, status, text }) => {
      if (status !== 400) return true;
      return behaviour !== 'dead' && !(behaviour === 'misreported' && text.includes(REFUSED));
    });
    expect(unexpected).toEqual([]);
  });

  it('remove all dead phones, and no others', async () => {
    const removed = await crowd.notifyEach();
    await drained();
    expect(new Set(removed)).toEqual(
      new Set(crowd.phones.filter(({ behaviour }) => behaviour === 'dead')),
    );
  });

  it('lose no notification', async () => {
    const shown = shownIn(await system.sandbox.deliveries());
    const missing = crowd.phones
      .filter(({ behaviour }) => behaviour !== 'dead')
      .map(({ phone: { token, platform }, behaviour, accepted }) => {
        const arrived = new Set(shown.get(token)?.map(notificationIdOf)).size;
        return { platform, behaviour, missing: accepted - arrived };
      })
      .filter(
        ({ behaviour, missing: count }) =>
          count > (behaviour === 'misreported' ? FALSE_REFUSALS : 0),
      );
    expect(missing).toEqual([]);
  });

  it('repeat only pushes that were in flight at a fault', async () => {
    const shown = [...shownIn(await system.sandbox.deliveries()).values()];
    const arrivals = shown.reduce((sum, ofToken) => sum + ofToken.length, 0);
    const distinct = shown.reduce((sum, all) => sum + new Set(all.map(notificationIdOf)).size, 0);
    // A kill repeats the pushes of one worker to both providers, a broken connection those of all workers to one.
    const underWay = (2 * tally.kills + WORKERS * tally.broken) * IN_FLIGHT;
    process.stdout.write(
      `chaos --seed=${SEED}: ${distinct} notifications, ${arrivals - distinct} shown twice; ` +
        `${tally.kills} kills, ${tally.broken} faults of providers\n`,
    );
    expect(arrivals - distinct).toBeLessThanOrEqual(underWay);
    // Each fault repeats a push once at most.
    const times = shown.flatMap((ofToken) => [
      ...groupBy(ofToken.map(notificationIdOf), (id) => id).values(),
    ]);
    const most = Math.max(...times.map(({ length }) => length));
    expect(most).toBeLessThanOrEqual(1 + tally.kills + tally.broken);
    expect(arrivals).toBeGreaterThan(isLongRun ? 1000 : 200);
  });
});

describe.each([
  ['apns', 'fcm'],
  ['fcm', 'apns'],
] as const)('While %s is down', (broken, working) => {
  it.each(isLongRun ? (['down', 'hang', 'reset'] as const) : (['hang'] as const))(
    `(%s) notifications by ${working} arrive meanwhile`,
    async (mode) => {
      await restoreProviders();
      const { api } = await (await addOrganisation(system)).addPerson();
      const register = (platform: PhonePlatform) =>
        Promise.all(Array.from({ length: 20 }, () => phoneOf[platform]().register(api)));
      const blocked = await register(broken);
      const open = await register(working);
      await system.sandbox.setMode(broken, { mode });
      const unanswered: Promise<unknown>[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const [index, { token }] of open.entries()) {
          // The response waits for the provider, which is down.
          unanswered.push(api.post(TEST, { token: blocked[index]?.token }));
          await api.post(TEST, { token });
        }
      }
      await eventually(async () => {
        const shown = shownIn(await system.sandbox.deliveries());
        const arrived = open.map(({ token }) => shown.get(token)?.length);
        expect(arrived).toEqual(open.map(() => ROUNDS));
        expect(blocked.some(({ token }) => shown.has(token))).toBe(false);
      });
      await restoreProviders();
      await Promise.all(unanswered);
      await drained();
    },
  );
});
