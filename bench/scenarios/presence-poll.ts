import type { LimitServer } from '../limits/limit-server.js';
import { startPresenceLimit } from '../limits/presence-limit.js';
import { gatherPresenceLoad, type PresenceLoad } from '../load/presence-load.js';
import type { Tally } from '../load/tally.js';
import { CpuUsage } from '../measure/cpu-usage.js';
import { interleave } from '../measure/interleave.js';
import { cpuClock } from '../measure/process-cpu.js';
import { type Finding, resultOf } from '../results.js';
import { type BenchRealm, createRealm } from '../world/bench-world.js';
import { Faults } from './faults.js';
import { ourClocks } from './our-clocks.js';
import type { Bench } from './scenario.js';

const USERS = 1000;
const CONNECTIONS = 32;
const ROUNDS = 5;
/**
 * Less than 55 seconds may pass between the first reports of the users and the end of the last round:
 * after that, every report would be a change.
 */
const ROUND_SECONDS = 2.5;
const WARM_UP_SECONDS = 2;
const SINGLE_REQUESTS = 300;
const TARGET = 0.5;

/** The options of a presence scenario. */
interface PollPlan {
  readonly name: string;
  readonly subdomain: string;
  /** The number of accounts that can come online while the others poll. */
  readonly newcomers: number;
  readonly requestsPerNewcomer: number;
}

/** Polls as random users of one organisation, with the compared design and with Carillon. */
export async function measurePolls(bench: Bench, plan: PollPlan): Promise<Finding> {
  const { place, programs, progress } = bench;
  await progress.step(`${plan.name}: programs`, async () => {
    await programs.start('presence');
    await programs.start('api-gateway');
  });
  const realm = await createRealm(bench.world, plan.subdomain, USERS + plan.newcomers);
  const limit = await startPresenceLimit(place, {
    redisUrl: bench.redisUrl,
    realm: plan.subdomain,
    users: realm.users,
  });
  const limitLoad = await gatherPresenceLoad(place, crowdOf(plan, realm, limit.port));
  const ourLoad = await gatherPresenceLoad(place, crowdOf(plan, realm, programs.gatewayPort));
  try {
    return await compare(bench, plan, { limit, limitLoad, ourLoad });
  } finally {
    await Promise.all([limitLoad.stop(), ourLoad.stop(), limit.stop()]);
  }
}

const crowdOf = (plan: PollPlan, { host, users }: BenchRealm, port: number) => ({
  port,
  host,
  users: users.slice(0, USERS),
  newcomers: users.slice(USERS),
  requestsPerNewcomer: plan.requestsPerNewcomer,
});

interface Rivals {
  readonly limit: LimitServer;
  readonly limitLoad: PresenceLoad;
  readonly ourLoad: PresenceLoad;
}

async function compare(
  bench: Bench,
  { name, newcomers }: PollPlan,
  { limit, limitLoad, ourLoad }: Rivals,
): Promise<Finding> {
  const { progress, redis, database } = bench;
  const faults = new Faults();
  const cpu = new CpuUsage(ourClocks(bench));
  const limitCpu = new CpuUsage({
    'bare node:http': cpuClock(limit.pid),
    redis: () => redis.cpuSeconds(),
  });
  const total = { requests: 0, changes: 0, ofLimit: 0 };
  const polled = (design: string, tally: Tally): number => {
    faults.add(design, tally);
    if (newcomers === 0) faults.addCount(`${design}: unexpected changes`, tally.changes);
    return tally.requests / tally.seconds;
  };
  const extent = { seconds: ROUND_SECONDS };
  const measureLimit = async () => {
    const tally = await limitCpu.during(() => limitLoad.call('poll', CONNECTIONS, extent));
    total.ofLimit += tally.requests;
    return polled('limit', tally);
  };
  const measureOurs = async () => {
    const tally = await cpu.during(() => ourLoad.call('poll', CONNECTIONS, extent));
    total.requests += tally.requests;
    total.changes += tally.changes;
    return polled('ours', tally);
  };

  await progress.step(`${name}: warm-up`, async () => {
    await ourLoad.call('signIn');
    const signedInAt = performance.now();
    for (const load of [limitLoad, ourLoad]) {
      await load.call('prime');
      await load.call('poll', CONNECTIONS, { seconds: WARM_UP_SECONDS });
    }
    await database.settle(signedInAt);
  });
  const commitsBefore = await database.commits();
  const rates = await progress.step(`${name}: ${ROUNDS} rounds of each`, () =>
    interleave(ROUNDS, measureLimit, measureOurs),
  );
  // An open connection reports its metrics once a second, so at most the last second is missing here.
  const commits = (await database.commits()) - commitsBefore;
  const roundTrips = await redis.roundTripsPerRequest(() =>
    ourLoad.call('poll', 1, { requests: SINGLE_REQUESTS }),
  );
  faults.addCount('limit: changes skipped', await limitLoad.call('countSkippedChanges'));
  faults.addCount('ours: changes skipped', await ourLoad.call('countSkippedChanges'));
  return {
    result: resultOf({
      name,
      value: rates.ours,
      unit: 'req/s',
      limit: rates.limit,
      target: TARGET,
      cpu_s_per_1000: cpu.perThousand(total.requests),
      limit_cpu_s_per_1000: limitCpu.perThousand(total.ofLimit),
      redis_round_trips: roundTrips,
      sql_round_trips: commits / total.requests,
    }),
    notes: [`${(total.changes / total.requests).toFixed(1)} changes in an answer`],
    faults: faults.list,
  };
}
