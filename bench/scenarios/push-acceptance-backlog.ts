import { setTimeout as delay } from 'node:timers/promises';
import { PushLimit } from '../limits/push-limit.js';
import { FormRequest } from '../load/form-request.js';
import { PacedRequests } from '../load/paced-requests.js';
import { type PushUser, TEST_PATH } from '../load/push-crowd.js';
import { CpuUsage } from '../measure/cpu-usage.js';
import { interleave } from '../measure/interleave.js';
import { latencyText, percentile } from '../measure/percentile.js';
import { cpuClock } from '../measure/process-cpu.js';
import { type Finding, resultOfTime } from '../results.js';
import { APP_ID } from '../world/bench-world.js';
import { PushBacklog } from '../world/push-backlog.js';
import { Faults } from './faults.js';
import { createPushUsers, newTokens, startPush } from './push-world.js';
import type { Bench, Scenario } from './scenario.js';

const NAME = 'push.acceptance_backlog';
const BACKLOG_JOBS = 100_000;
const CROWD = { realms: 10, usersEach: 100 };
/** Far below the capacity of the gateway, so that only the effect of the backlog is measured. */
const REQUESTS_PER_SECOND = 500;
const CONNECTIONS = 64;
const ROUNDS = 5;
const ROUND_SECONDS = 4;
const WARM_UP_SECONDS = 2;
/** The 99th percentile. */
const WORST = 0.99;
const LONGEST_MS = 30;
const TARGET = 1;

/** The latency of test notifications with a hundred thousand waiting jobs and no worker. */
export const pushAcceptanceBacklog: Scenario = { name: NAME, measure };

async function measure(bench: Bench): Promise<Finding> {
  const { place, world, redisUrl } = bench;
  const { gatewayPort } = await startPush(bench, NAME, { hasWorker: false });
  const users = await createPushUsers(bench, 'backlog', CROWD);
  const tokens = newTokens(users.length);
  const devices = users.map(({ userId }, index) => ({ userId, token: tokens[index] ?? '' }));
  const deviceIds = await world.createDevices(devices, APP_ID);
  const [device] = devices.map((one, index) => ({ ...one, deviceId: deviceIds[index] ?? 0 }));
  if (device === undefined) throw new Error('There is no device.');
  const limit = await PushLimit.start(place, { redisUrl, users, tokens, worker: null });
  const backlog = new PushBacklog(world, redisUrl);
  const pileUp = () =>
    bench.progress.step(`${NAME}: ${BACKLOG_JOBS} jobs`, () =>
      backlog.pileUp(device, BACKLOG_JOBS),
    );
  try {
    return await compare(bench, {
      ours: pacedTo(gatewayPort, users),
      limit: pacedTo(limit.port, users),
      backlog,
      pileUp,
    });
  } finally {
    await backlog.clear();
    await backlog.close();
    await limit.stop();
  }
}

const pacedTo = (port: number, users: readonly PushUser[]) =>
  new PacedRequests({
    port,
    perSecond: REQUESTS_PER_SECOND,
    connections: CONNECTIONS,
    requests: users.map((user) => new FormRequest(user.host, TEST_PATH, user).with('')),
  });

interface Rivals {
  readonly ours: PacedRequests;
  readonly limit: PacedRequests;
  readonly backlog: PushBacklog;
  readonly pileUp: () => Promise<void>;
}

async function compare(bench: Bench, { ours, limit, backlog, pileUp }: Rivals): Promise<Finding> {
  const { progress, programs, redis, database } = bench;
  const faults = new Faults();
  const cpu = new CpuUsage({
    'api-gateway': cpuClock(programs.pidOf('api-gateway')),
    redis: () => redis.cpuSeconds(),
    postgresql: () => database.cpuSeconds(),
  });
  const latencies = { before: [] as number[], ours: [] as number[], limit: [] as number[] };
  const ask = async (design: keyof typeof latencies, load: PacedRequests, seconds: number) => {
    const { answers, tally } = await load.during(() => delay(seconds * 1000));
    faults.add(design, tally);
    const found = answers.map(({ latencyMs }) => latencyMs);
    latencies[design].push(...found);
    return percentile(found, WORST);
  };

  await progress.step(`${NAME}: without a backlog`, async () => {
    await limit.during(() => delay(WARM_UP_SECONDS * 1000));
    await ours.during(() => delay(WARM_UP_SECONDS * 1000));
    await ask('before', ours, ROUND_SECONDS);
  });
  await pileUp();
  const worst = await progress.step(`${NAME}: ${ROUNDS} rounds of each`, () =>
    interleave(
      ROUNDS,
      () => ask('limit', limit, ROUND_SECONDS),
      () => cpu.during(() => ask('ours', ours, ROUND_SECONDS)),
    ),
  );
  const sizes = await backlog.sizes();
  faults.addCount('jobs missing from the backlog', Math.max(0, BACKLOG_JOBS - sizes.ours));
  return {
    result: resultOfTime({
      name: NAME,
      value: worst.ours,
      unit: 'ms (p99)',
      limit: LONGEST_MS,
      target: TARGET,
      cpu_s_per_1000: cpu.perThousand(latencies.ours.length),
    }),
    notes: [
      `${REQUESTS_PER_SECOND} requests/s, ${sizes.ours} jobs: ${latencyText(latencies.ours)}`,
      `without a backlog: ${latencyText(latencies.before)}`,
      `the bare form with ${sizes.limit} jobs: ${latencyText(latencies.limit)}; ` +
        `its p99 to ours: ${(worst.limit / worst.ours).toFixed(2)}`,
    ],
    faults: faults.list,
  };
}
