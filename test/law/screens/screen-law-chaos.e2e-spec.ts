import { beforeAll, describe, expect, it } from '@jest/globals';
import { lastLogLinesOf } from '#test/chaos-program';
import { chaosSeed, isLongRun } from '#test/chaos-run';
import {
  type ChaosTally,
  type ChaosTargets,
  hostFaults,
  injectProgramFaults,
  injectProviderFaults,
  providerFaults,
} from '#test/push-chaos-faults';
import { startChaosWorkers } from '#test/push-chaos-workers';
import { SeededRandom } from '#test/seeded-random';
import { ThrowawayRedis } from '#test/throwaway-redis';
import type { Platform } from '#push/jobs';
import { useFixture } from '#test/use-fixture';
import { useSystem } from '#test/use-system';
import { ScreenHistory, type Theme } from './screen-history.fixture.js';
import { FLUSH_MS } from './screen-rest.fixture.js';

const HISTORIES = isLongRun ? 12 : 4;
const ROUNDS = isLongRun ? 10 : 1;
const WORKERS = 2;
const LONG_MS = 600_000;

const redis = useFixture(() => ThrowawayRedis.start({ keeps: true }));
const system = useSystem(() => ({
  programs: ['push-sandbox', 'presence', 'api-gateway'],
  environment: {
    REDIS_URL: redis.url,
    // This test is about screens, not about rate limits.
    RATE_LIMIT_USER: '60:100000',
    PRESENCE_FLUSH_SECONDS: String(FLUSH_MS / 1000),
    PUSH_DEADLINE_MS: '2000',
  },
}));
let targets: ChaosTargets;

beforeAll(async () => {
  const workers = await startChaosWorkers(system, WORKERS);
  targets = { sandbox: system.sandbox, workers, redis };
}, LONG_MS);

/** Presence is left out: without Redis its reports are stored late. */
const everything: Theme = {
  groups: [
    'sending',
    'reading',
    'editing',
    'moving',
    'deleting',
    'muting',
    'settings',
    'subscribing',
    'devices',
    'accounts',
  ],
  faults: [
    'late',
    'lostAnswer',
    'neitherShownNorAnswered',
    'unavailable',
    'shownThenUnavailable',
    'throttled',
    'lostByProvider',
    'dead',
    'off',
  ],
};

/** Lets providers, workers and Redis fail, and ends with all of them in order. */
async function failAtRandom(seed: number, tally: ChaosTally): Promise<void> {
  const modes = {
    ...providerFaults(new SeededRandom(seed + 4), isLongRun),
    web: hostFaults(new SeededRandom(seed + 5), isLongRun),
  };
  const faultsOf = (platform: Platform, own: number) =>
    injectProviderFaults(
      targets,
      platform,
      { modes: modes[platform], random: new SeededRandom(own) },
      // A browser shows a repeated push once.
      platform === 'web' ? { kills: 0, broken: 0 } : tally,
    );
  await Promise.all([
    faultsOf('apns', seed + 1),
    faultsOf('fcm', seed + 2),
    faultsOf('web', seed + 6),
    injectProgramFaults(targets, new SeededRandom(seed + 3), { tally, isLong: isLongRun }),
  ]);
}

/** Makes histories until the faults are over; resolves with the differences at rest. */
async function histories(seed: number): Promise<string[]> {
  const tally: ChaosTally = { kills: 0, broken: 0 };
  const faults = {
    get repeats() {
      return tally.kills + tally.broken;
    },
  };
  const over = new AbortController();
  const running = Array.from({ length: HISTORIES }, (_, index) =>
    new ScreenHistory(system, everything, seed + 10 + index, { faults, until: over.signal }).run(),
  );
  const failing = failAtRandom(seed, tally).finally(() => over.abort());
  const [all] = await Promise.all([Promise.all(running), failing]);
  const differences = all.flat();
  return differences.length === 0 ? [] : [...differences, await lastLogLinesOf(targets.workers)];
}

describe(`The screens of phones while providers, workers and Redis fail (--seed=${chaosSeed})`, () => {
  it.each(Array.from({ length: ROUNDS }, (_, round) => round))(
    'follow the rule at rest (round %i)',
    async (round) => {
      expect(await histories(chaosSeed * 1000 + round * 100)).toEqual([]);
    },
    LONG_MS,
  );
});
