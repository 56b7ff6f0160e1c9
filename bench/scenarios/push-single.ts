import { PushLimit } from '../limits/push-limit.js';
import { gatherPushLoad, type PushLoad, sendSingly } from '../load/push-load.js';
import { SandboxInbox } from '../load/sandbox-inbox.js';
import type { Tally } from '../load/tally.js';
import { CpuUsage } from '../measure/cpu-usage.js';
import { interleave } from '../measure/interleave.js';
import { cpuClock } from '../measure/process-cpu.js';
import { StorageUse } from '../measure/storage-use.js';
import { cpuText, type Finding, resultOf } from '../results.js';
import { Faults } from './faults.js';
import { countRoundTrips, createPushUsers, newTokens, pushCpu, startPush } from './push-world.js';
import type { Bench, Scenario } from './scenario.js';

const NAME = 'push.single';
/** Enough organisations that no single one is throttled as a storm. */
const CROWD = { realms: 10, usersEach: 100 };
/** The number of requests in flight. */
const CONNECTIONS = 64;
/** The default of the worker. */
const WORKER_CONCURRENCY = 64;
/** Until the code of both designs is optimised. */
const WARM_UP = 8000;
const NOTIFICATIONS = 4000;
const ROUNDS = 7;
const SINGLE_NOTIFICATIONS = 100;
const TARGET = 0.8;

/** A test notification for each of many users with one device, from the HTTP request to the phone. */
export const pushSingle: Scenario = { name: NAME, measure };

interface Rivals {
  readonly limit: PushLimit;
  readonly limitLoad: PushLoad;
  readonly ourLoad: PushLoad;
}

async function measure(bench: Bench): Promise<Finding> {
  const { place } = bench;
  const { gatewayPort, sandboxUrl, apns } = await startPush(bench, NAME);
  const users = await createPushUsers(bench, 'single', CROWD);
  const tokens = newTokens(users.length);
  const ourLoad = await gatherPushLoad(place, { port: gatewayPort, users, sandboxUrl });
  const sample = await bench.progress.step(`${NAME}: a sample`, async () => {
    await ourLoad.call('register', tokens);
    await ourLoad.call('send', 1, 1);
    return new SandboxInbox(sandboxUrl).lastRequest();
  });
  const limit = await PushLimit.start(place, {
    redisUrl: bench.redisUrl,
    users,
    tokens,
    worker: { access: { apns }, sample, concurrency: WORKER_CONCURRENCY },
  });
  const limitLoad = await gatherPushLoad(place, { port: limit.port, users, sandboxUrl });
  try {
    return await compare(bench, { limit, limitLoad, ourLoad });
  } finally {
    await Promise.all([limitLoad.stop(), ourLoad.stop(), limit.stop()]);
  }
}

async function compare(bench: Bench, rivals: Rivals): Promise<Finding> {
  const { progress, redis, database } = bench;
  const { limitLoad, ourLoad } = rivals;
  const faults = new Faults();
  const cpu = pushCpu(bench);
  const storage = new StorageUse(database);
  const limitCpu = bareCpu(bench, rivals);
  const rateOf = (design: string, tally: Tally): number => {
    faults.add(design, tally);
    return tally.requests / tally.seconds;
  };
  let reads = 0;
  const measureLimit = async () =>
    rateOf(
      'limit',
      await limitCpu.during(() => limitLoad.call('send', CONNECTIONS, NOTIFICATIONS)),
    );
  const measureOurs = async () => {
    let rate = Number.NaN;
    reads += await redis.readsDuring(async () => {
      const tally = await storage.during(() =>
        cpu.during(() => ourLoad.call('send', CONNECTIONS, NOTIFICATIONS)),
      );
      rate = rateOf('ours', tally);
    });
    return rate;
  };

  await progress.step(`${NAME}: warm-up`, async () => {
    rateOf('limit, warming up', await limitLoad.call('send', CONNECTIONS, WARM_UP));
    rateOf('ours, warming up', await ourLoad.call('send', CONNECTIONS, WARM_UP));
  });
  const roundTrips = await progress.step(`${NAME}: one at a time`, () =>
    countRoundTrips(bench, () => sendSingly(ourLoad, SINGLE_NOTIFICATIONS)),
  );
  const commitsBefore = await database.commits();
  const rates = await progress.step(`${NAME}: ${ROUNDS} rounds of each`, () =>
    interleave(ROUNDS, measureLimit, measureOurs),
  );
  // A busy connection reports its commits once a second, so at most the last second is missing here.
  const commits = (await database.commits()) - commitsBefore;
  const total = ROUNDS * NOTIFICATIONS;
  return {
    result: resultOf({
      name: NAME,
      value: rates.ours,
      unit: 'notifications/s',
      limit: rates.limit,
      target: TARGET,
      cpu_s_per_1000: cpu.perThousand(total),
      bytes_each: storage.per(total),
      ...roundTrips,
    }),
    notes: [
      `the limit's CPU each: ${cpuText(limitCpu.perThousand(total))}`,
      `round trips under load, where some share one: Redis ${(reads / total).toFixed(2)}, ` +
        `SQL ${(commits / total).toFixed(2)}`,
    ],
    faults: faults.list,
  };
}

/** The sandbox costs the same in both designs, so its CPU is part of both figures and reduces the difference. */
const bareCpu = ({ programs, redis }: Bench, { limit }: Rivals): CpuUsage =>
  new CpuUsage({
    'bare gateway': cpuClock(limit.gatewayPid),
    'bare worker': cpuClock(limit.workerPid),
    redis: () => redis.cpuSeconds(),
    'push-sandbox': cpuClock(programs.pidOf('push-sandbox')),
  });
