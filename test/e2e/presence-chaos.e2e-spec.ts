import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { presenceTimingOf } from '#contracts';
import { chaosSeed, isLongRun } from '../support/chaos-run.js';
import { Dice } from '../support/dice.js';
import { eventually } from '../support/eventually.js';
import { ClientsTally } from '../support/presence-chaos-client.js';
import { ChaosCrowd } from '../support/presence-chaos-crowd.js';
import { troublePresence } from '../support/presence-chaos-faults.js';
import { ChaosPrograms } from '../support/presence-chaos-programs.js';
import { ThrowawayRedis } from '../support/throwaway-redis.js';

jest.setTimeout(240_000);

const SEED = chaosSeed;
/** The shortest there are: a report counts when it is 5 s newer than the last. */
const PING_SECONDS = 10;
const OFFLINE_SECONDS = 50;
const timing = presenceTimingOf(PING_SECONDS, OFFLINE_SECONDS);
/** About as long as the faults take. */
const LIFE_MS = isLongRun ? 50_000 : 25_000;
const SEEN_DEADLINE_MS = 5000;

let redis: ThrowawayRedis;
let programs: ChaosPrograms;

beforeAll(async () => {
  redis = await ThrowawayRedis.start({ keeps: true });
  programs = await ChaosPrograms.start({
    REDIS_URL: redis.url,
    PRESENCE_PING_SECONDS: String(PING_SECONDS),
    PRESENCE_OFFLINE_SECONDS: String(OFFLINE_SECONDS),
    // What is looked at here is trouble, not how much a client may ask.
    RATE_LIMIT_USER: '60:100000',
  });
});

afterAll(async () => {
  await programs?.system.stop();
  await redis?.remove();
});

describe(`Presence processes, gateways and Redis that fail at random (--seed=${SEED})`, () => {
  const tally = new ClientsTally();
  /** One in which large answers are shared, and a small one. */
  let crowds: ChaosCrowd[];

  beforeAll(async () => {
    const plan = { programs, timing, tally, lifeMs: LIFE_MS };
    crowds = [
      await ChaosCrowd.gather({ ...plan, seed: SEED, actors: 150, watchers: 50 }),
      await ChaosCrowd.gather({ ...plan, seed: SEED + 1, actors: 30, watchers: 10 }),
    ];
    const life = new AbortController();
    const living = Promise.all(crowds.map((crowd) => crowd.live(life.signal)));
    const order = await troublePresence({ programs, redis }, new Dice(SEED + 2), isLongRun);
    life.abort();
    await living;
    process.stdout.write(
      `presence chaos --seed=${SEED}: ${tally.tookMs.length} answers, ${tally.told} entries, ` +
        `large ones ${JSON.stringify(tally.large)}, ${tally.broken.length} asked again; ` +
        `p50 ${tally.percentile(0.5)} ms, p99 ${tally.percentile(0.99)} ms; ${order.join(', ')}\n`,
    );
  });

  it('lose nothing that was answered with success, and skip nothing for anybody', async () => {
    await Promise.all(crowds.map((crowd) => crowd.retire()));
    try {
      await eventually(async () => {
        const objections = await Promise.all(crowds.map((crowd) => crowd.objections()));
        expect(objections.flat()).toEqual([]);
      }, SEEN_DEADLINE_MS);
    } catch (error) {
      throw new Error(await programs.lastWords(), { cause: error });
    }
  });

  it('make no request fail', () => {
    expect(tally.refused).toEqual([]);
  });

  it('take no cursor back', () => {
    expect(tally.wentBack).toEqual([]);
  });

  it('leave large answers compressed, for who takes them so', () => {
    expect(tally.large).toEqual({
      gzip: expect.any(Number),
      br: expect.any(Number),
      identity: expect.any(Number),
    });
  });
});
