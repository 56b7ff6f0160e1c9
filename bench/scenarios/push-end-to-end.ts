import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type ApnsAccess, PushLimit } from '../limits/push-limit.js';
import { PushLoad } from '../load/push-load.js';
import type { Tally } from '../load/tally.js';
import { CpuUsage } from '../measure/cpu-usage.js';
import { interleave } from '../measure/interleave.js';
import { cpuClock } from '../measure/process-cpu.js';
import { type Finding, resultOf } from '../results.js';
import { createRealm } from '../world/bench-world.js';
import { Faults } from './faults.js';
import type { Bench, Scenario } from './scenario.js';

const NAME = 'push.end_to_end';
const USERS = 1000;
/** Requests under way at a time. */
const CONNECTIONS = 64;
/** As our worker has it by default. */
const WORKER_CONCURRENCY = 64;
const NOTIFICATIONS = 2000;
const ROUNDS = 5;
const SINGLE_NOTIFICATIONS = 100;
const TARGET = 0.5;

/** From an HTTP request to the phone: a test notification for each of many users with one device. */
export const pushEndToEnd: Scenario = { name: NAME, measure };

async function measure(bench: Bench): Promise<Finding> {
  const { place, programs, progress } = bench;
  await progress.step(`${NAME}: programs`, async () => {
    // The sandbox writes the credentials that the worker needs.
    await programs.start('push-sandbox');
    await programs.start('push-worker');
    await programs.start('api-gateway');
  });
  const { ports } = programs.parts.config;
  const sandboxUrl = `http://127.0.0.1:${ports.sandbox}`;
  const { host, users } = await createRealm(bench.world, 'push', USERS);
  const tokens = users.map(() => randomBytes(32).toString('hex'));
  const limit = await PushLimit.start(place, {
    redisUrl: bench.redisUrl,
    users,
    tokens,
    apns: apnsAccess(path.join(programs.parts.dataDir, 'sandbox'), ports.sandboxApns),
    concurrency: WORKER_CONCURRENCY,
  });
  const limitLoad = await PushLoad.gather(place, { port: limit.port, host, users, sandboxUrl });
  const ourLoad = await PushLoad.gather(place, { port: ports.gateway, host, users, sandboxUrl });
  try {
    await ourLoad.register(tokens);
    return await compare(bench, limitLoad, ourLoad);
  } finally {
    await Promise.all([limitLoad.stop(), ourLoad.stop(), limit.stop()]);
  }
}

async function compare(bench: Bench, limitLoad: PushLoad, ourLoad: PushLoad): Promise<Finding> {
  const { progress, programs, redis, database } = bench;
  const faults = new Faults();
  const cpu = new CpuUsage({
    'api-gateway': cpuClock(programs.pidOf('api-gateway')),
    'push-worker': cpuClock(programs.pidOf('push-worker')),
    redis: () => redis.cpuSeconds(),
    postgresql: () => database.cpuSeconds(),
  });
  const rateOf = (who: string, tally: Tally): number => {
    faults.add(who, tally);
    return tally.requests / tally.seconds;
  };
  const measureLimit = async () =>
    rateOf('limit', await limitLoad.send(CONNECTIONS, NOTIFICATIONS));
  const measureOurs = async () =>
    rateOf('ours', await cpu.during(() => ourLoad.send(CONNECTIONS, NOTIFICATIONS)));

  await progress.step(`${NAME}: warm-up`, async () => {
    rateOf('limit, warming up', await limitLoad.send(CONNECTIONS, NOTIFICATIONS));
    rateOf('ours, warming up', await ourLoad.send(CONNECTIONS, NOTIFICATIONS));
  });
  const roundTrips = await progress.step(`${NAME}: one at a time`, () =>
    countRoundTrips(bench, ourLoad),
  );
  const rates = await progress.step(`${NAME}: ${ROUNDS} rounds of each`, () =>
    interleave(ROUNDS, measureLimit, measureOurs),
  );
  return {
    result: resultOf({
      name: NAME,
      value: rates.ours,
      unit: 'notifications/s',
      limit: rates.limit,
      target: TARGET,
      cpu_s_per_1000: cpu.perThousand(ROUNDS * NOTIFICATIONS),
      ...roundTrips,
    }),
    notes: [],
    faults: faults.list,
  };
}

async function countRoundTrips({ redis, database }: Bench, load: PushLoad) {
  await database.settle(performance.now());
  const commitsBefore = await database.commits();
  const redisRoundTrips = await redis.roundTripsPerRequest(() =>
    load.sendSingly(SINGLE_NOTIFICATIONS),
  );
  await database.settle(performance.now());
  const commits = (await database.commits()) - commitsBefore;
  return {
    redis_round_trips: redisRoundTrips,
    sql_round_trips: commits / SINGLE_NOTIFICATIONS,
  };
}

function apnsAccess(folder: string, port: number): ApnsAccess {
  // The sandbox writes this file in this shape.
  const identity = JSON.parse(readFileSync(path.join(folder, 'apns.json'), 'utf8')) as {
    key_id: string;
    team_id: string;
  };
  return {
    host: '127.0.0.1',
    port,
    caFile: path.join(folder, 'ca.pem'),
    keyFile: path.join(folder, 'apns-key.p8'),
    keyId: identity.key_id,
    teamId: identity.team_id,
  };
}
