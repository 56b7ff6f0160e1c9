import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { presenceTimingOf } from '#presence/rules';
import { chaosSeed, isLongRun } from '#test/chaos-run';
import { SeededRandom } from '#test/seeded-random';
import { eventually } from '#test/eventually';
import { ClientsTally } from '#test/presence-chaos-client';
import { ChaosCrowd } from '#test/presence-chaos-crowd';
import { causePresenceFaults } from '#test/presence-chaos-faults';
import { ChaosPrograms } from '#test/presence-chaos-programs';
import { ThrowawayRedis } from '#test/throwaway-redis';

jest.setTimeout(240_000);

const SEED = chaosSeed;
/** The shortest possible timing: a report counts if it is 5 s newer than the last one. */
const PING_SECONDS = 10;
const OFFLINE_SECONDS = 50;
const timing = presenceTimingOf({
  pingIntervalSeconds: PING_SECONDS,
  offlineThresholdSeconds: OFFLINE_SECONDS,
});
/** About as long as the faults take. */
const LIFE_MS = isLongRun ? 50_000 : 25_000;

let redis: ThrowawayRedis;
let programs: ChaosPrograms;

beforeAll(async () => {
  redis = await ThrowawayRedis.start({ keeps: true });
  programs = await ChaosPrograms.start({
    REDIS_URL: redis.url,
    PRESENCE_PING_SECONDS: String(PING_SECONDS),
    PRESENCE_OFFLINE_SECONDS: String(OFFLINE_SECONDS),
    // This test is about faults, not about rate limits.
    RATE_LIMIT_USER: '60:100000',
  });
});

afterAll(async () => {
  await programs?.system.stop();
  await redis?.remove();
});

describe(`Presence processes, gateways and Redis that fail at random (--seed=${SEED})`, () => {
  const tally = new ClientsTally();
  /** A large organisation with shared answers, and a small one. */
  let crowds: ChaosCrowd[];

  beforeAll(async () => {
    const plan = { programs, timing, tally, lifeMs: LIFE_MS };
    crowds = [
      await ChaosCrowd.create({ ...plan, seed: SEED, actors: 150, watchers: 50 }),
      await ChaosCrowd.create({ ...plan, seed: SEED + 1, actors: 30, watchers: 10 }),
    ];
    const life = new AbortController();
    const living = Promise.all(crowds.map((crowd) => crowd.run(life.signal)));
    const order = await causePresenceFaults(
      { programs, redis },
      new SeededRandom(SEED + 2),
      isLongRun,
    );
    life.abort();
    await living;
    process.stdout.write(
      `presence chaos --seed=${SEED}: ${tally.tookMs.length} answers, ${tally.received} entries, ` +
        `large ones ${JSON.stringify(tally.large)}, ${tally.broken.length} asked again; ` +
        `p50 ${tally.percentile(0.5)} ms, p99 ${tally.percentile(0.99)} ms; ${order.join(', ')}\n`,
    );
  });

  it('lose no accepted change, and skip nothing', async () => {
    await Promise.all(crowds.map((crowd) => crowd.goInvisible()));
    try {
      await eventually(async () => {
        const violations = await Promise.all(crowds.map((crowd) => crowd.violations()));
        expect(violations.flat()).toEqual([]);
      });
    } catch (error) {
      throw new Error(await programs.lastLogLines(), { cause: error });
    }
  });

  it('fail no request', () => {
    expect(tally.refused).toEqual([]);
  });

  it('move no cursor back', () => {
    expect(tally.wentBack).toEqual([]);
  });

  it('compress large answers for clients that accept it', () => {
    expect(tally.large).toEqual({
      gzip: expect.any(Number),
      br: expect.any(Number),
      identity: expect.any(Number),
    });
  });
});
