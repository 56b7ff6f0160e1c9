import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import type { Platform } from '#contracts';
import { groupBy } from '#core';
import { chaosSeed, isLongRun } from '../support/chaos-run.js';
import { lastWordsOf } from '../support/chaos-program.js';
import { eventually } from '../support/eventually.js';
import { addOrganisation } from '../support/organisation.js';
import { Phone } from '../support/phone.js';
import { Crowd, notificationIdOf, SLANDERS } from '../support/push-chaos-crowd.js';
import { Dice } from '../support/dice.js';
import {
  type ChaosTally,
  type ChaosTargets,
  troublePrograms,
  troubleProvider,
  troublesOfProviders,
} from '../support/push-chaos-faults.js';
import { startChaosWorkers } from '../support/push-chaos-workers.js';
import type { SandboxDelivery } from '../support/sandbox-client.js';
import { startSystem, type System } from '../support/start-system.js';
import { ThrowawayRedis } from '../support/throwaway-redis.js';

jest.setTimeout(240_000);

const SEED = chaosSeed;
const PEOPLE = isLongRun ? 60 : 24;
const WORKERS = 2;
const CONCURRENCY = 8;
/** Both lanes of a platform together; the largest part of a worker that can be between an answer and its record. */
const IN_FLIGHT = 2 * CONCURRENCY;
const DRAIN_MS = 120_000;
/** What hardly anybody notices. */
const UNDISTURBED_MS = 1000;

let redis: ThrowawayRedis;
let system: System;
let targets: ChaosTargets;

beforeAll(async () => {
  redis = await ThrowawayRedis.start({ keeps: true });
  system = await startSystem({
    programs: ['push-sandbox', 'presence', 'api-gateway'],
    environment: {
      REDIS_URL: redis.url,
      // What is looked at here is trouble, not how much a client may ask.
      RATE_LIMIT_USER: '60:100000',
      PUSH_TEST_WAIT_MS: '0',
      PUSH_CONCURRENCY: String(CONCURRENCY),
      PUSH_DEADLINE_MS: '2000',
    },
  });
  const workers = await startChaosWorkers(system, WORKERS);
  targets = { sandbox: system.sandbox, workers, redis };
});

afterAll(async () => {
  await system?.stop();
  await redis?.remove();
});

const TEST = '/mobile_push/test_notification';
const phoneOf = { apns: () => Phone.iphone(), fcm: () => Phone.android() } as const;

const heal = async () => {
  await system.sandbox.setMode('apns', { mode: 'ok' });
  await system.sandbox.setMode('fcm', { mode: 'ok' });
};

/** Waits until the ledger has nothing left to send; looks seldom, so as not to be in the way. */
async function untilDrained(): Promise<void> {
  try {
    await eventually(assertDrained, DRAIN_MS);
  } catch (error) {
    throw new Error(await lastWordsOf(targets.workers), { cause: error });
  }
}

async function assertDrained(): Promise<void> {
  await delay(500);
  const left = await system.database.database.prisma.pushDelivery.groupBy({
    by: ['platform', 'reason', 'attempts'],
    where: { state: 'pending' },
    _count: true,
  });
  if (left.length > 0) throw new Error(`Still to be sent: ${JSON.stringify(left)}`);
}

const shownIn = (deliveries: readonly SandboxDelivery[]) =>
  groupBy(
    deliveries.filter(({ status }) => status === 200),
    ({ token }) => token,
  );

describe(`Providers, workers and Redis that fail at random (--seed=${SEED})`, () => {
  const crowd = new Crowd(new Dice(SEED));
  const tally: ChaosTally = { kills: 0, broken: 0 };

  beforeAll(async () => {
    await crowd.gather(await addOrganisation(system), PEOPLE);
    await crowd.meetFates(system.sandbox);
    const chatter = new AbortController();
    const chatting = crowd.chatter(chatter.signal);
    const modes = troublesOfProviders(new Dice(SEED + 4), isLongRun);
    await Promise.all([
      troubleProvider(targets, 'apns', { modes: modes.apns, dice: new Dice(SEED + 1) }, tally),
      troubleProvider(targets, 'fcm', { modes: modes.fcm, dice: new Dice(SEED + 2) }, tally),
      troublePrograms(targets, new Dice(SEED + 3), { tally, isLong: isLongRun }),
    ]);
    await heal();
    chatter.abort();
    await chatting;
    // Also to those that nobody happened to write to.
    await crowd.callEach();
    await untilDrained();
  });

  it('make no request fail but those about phones that are gone', () => {
    const unexpected = crowd.refused.filter(
      ({ fate, status }) => fate !== 'dead' || status !== 400,
    );
    expect(unexpected).toEqual([]);
  });

  it('cost nobody a phone, and keep none that is gone', async () => {
    const forgotten = await crowd.callEach();
    await untilDrained();
    expect(new Set(forgotten)).toEqual(new Set(crowd.phones.filter(({ fate }) => fate === 'dead')));
  });

  it('lose no notification', async () => {
    const shown = shownIn(await system.sandbox.deliveries());
    const missing = crowd.phones
      .filter(({ fate }) => fate !== 'dead')
      .map(({ phone: { token, platform }, fate, accepted }) => {
        const arrived = new Set(shown.get(token)?.map(notificationIdOf)).size;
        return { platform, fate, missing: accepted - arrived };
      })
      .filter(({ fate, missing: count }) => count > (fate === 'slandered' ? SLANDERS : 0));
    expect(missing).toEqual([]);
  });

  it('repeat only what was under way when something broke', async () => {
    const shown = [...shownIn(await system.sandbox.deliveries()).values()];
    const arrivals = shown.reduce((sum, ofToken) => sum + ofToken.length, 0);
    const distinct = shown.reduce((sum, all) => sum + new Set(all.map(notificationIdOf)).size, 0);
    // A kill takes what the worker has for both providers, a broken connection what all have for one.
    const underWay = (2 * tally.kills + WORKERS * tally.broken) * IN_FLIGHT;
    process.stdout.write(
      `chaos --seed=${SEED}: ${distinct} notifications, ${arrivals - distinct} shown twice; ` +
        `${tally.kills} kills, ${tally.broken} faults of providers\n`,
    );
    expect(arrivals - distinct).toBeLessThanOrEqual(underWay);
    expect(arrivals).toBeGreaterThan(isLongRun ? 1000 : 200);
  });
});

describe.each([
  ['apns', 'fcm'],
  ['fcm', 'apns'],
] as const)('While %s does not work', (broken, working) => {
  it.each(isLongRun ? (['down', 'hang', 'reset'] as const) : (['hang'] as const))(
    `(%s) notifications by ${working} arrive as ever`,
    async (mode) => {
      await heal();
      const { api } = await (await addOrganisation(system)).addPerson();
      const register = (platform: Platform) =>
        Promise.all(Array.from({ length: 20 }, () => phoneOf[platform]().register(api)));
      const blocked = await register(broken);
      const open = await register(working);
      await system.sandbox.setMode(broken, { mode });
      const asked: { readonly token: string; readonly at: number }[] = [];
      const unanswered: Promise<unknown>[] = [];
      for (let round = 0; round < 10; round += 1) {
        for (const [index, { token }] of open.entries()) {
          // Its answer waits for the provider, which has none.
          unanswered.push(api.post(TEST, { token: blocked[index]?.token }));
          asked.push({ token, at: Date.now() });
          await api.post(TEST, { token });
        }
      }
      const delays = await eventually(async () => {
        const shown = shownIn(await system.sandbox.deliveries());
        return asked.map(({ token, at }, index) => {
          const arrival = shown.get(token)?.[Math.floor(index / open.length)];
          if (arrival === undefined) throw new Error('A notification has not arrived.');
          return arrival.received_at * 1000 - at;
        });
      });
      await heal();
      await Promise.all(unanswered);
      const p99 = delays.toSorted((one, other) => one - other)[Math.floor(delays.length * 0.99)];
      expect(p99).toBeLessThan(UNDISTURBED_MS);
      await untilDrained();
    },
  );
});
