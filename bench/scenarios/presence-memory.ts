import { setTimeout as delay } from 'node:timers/promises';
import { emptyAmong } from '../load/steady-crowd.js';
import { reportsMemory } from '../processes/our-programs.js';
import { withSpecial } from '../processes/special-run.js';
import { type Finding, resultOfTime } from '../results.js';
import { Faults } from './faults.js';
import type { Bench, Scenario } from './scenario.js';
import { openSteadyWorld, type SteadyPlan, warmUp } from './steady-world.js';

/** Every report of these users changes something: ten of each per minute. */
const FAST_TIMING = { PRESENCE_PING_SECONDS: '10', PRESENCE_OFFLINE_SECONDS: '50' };
const TURNS = 10;

const plan: SteadyPlan = {
  name: 'presence.memory',
  subdomain: 'memory',
  realms: 1,
  usersEach: 10_000,
  pollSeconds: 6,
  refreshSeconds: 6,
  // Older than one turn, so that a late report does not matter.
  cursorSeconds: 12,
};
/** Warm-up users, so that compiled code does not count as memory of the measured users. */
const forerunners: SteadyPlan = {
  ...plan,
  name: 'presence.memory: before',
  subdomain: 'forerunners',
  usersEach: 500,
};
/** One request in this many asks for changes, so that shared answers are built. */
const USERS_PER_ASKER = 100;

const SOAK_SECONDS = TURNS * plan.pollSeconds;
/** Shared answers are kept for a second; they are not memory of a user. */
const BODIES_GONE_MS = 2000;
const PRESENCE_KEYS = 'presence:';
const MAX_IN_REDIS = 100;
const MAX_IN_PROCESS = 1000;
const TARGET = 1;

/** The memory per user in Redis and in the presence program after ten reports of each, and its growth. */
export const presenceMemory: Scenario = {
  name: plan.name,
  measure: (bench) =>
    withSpecial(bench.programs, { environment: FAST_TIMING, ...reportsMemory(bench.place) }, () =>
      measure(bench),
    ),
};

async function measure(bench: Bench): Promise<Finding[]> {
  const { progress, programs, redis } = bench;
  const faults = new Faults();
  await compileAll(bench, faults);
  const { ourLoad, users, loadAt, untilStart } = await openSteadyWorld(bench, plan);
  const askers = users.filter((_, index) => index % USERS_PER_ASKER === 0);
  const askingLoad = await loadAt({ over: 'http', port: programs.gatewayPort }, { users: askers });
  try {
    const before = {
      redis: await redis.memoryOf(PRESENCE_KEYS),
      process: await programs.memoryOf('presence'),
    };
    await untilStart();
    const soak = (seconds: number) =>
      progress.step(`${plan.name}: ${seconds} s of reports`, async () => {
        const [reports, questions] = await Promise.all([
          ourLoad.call('pollInTurn', 'nothing', seconds),
          askingLoad.call('pollInTurn', 'changes', seconds),
        ]);
        faults.add('reports', reports.tally);
        faults.add('questions', questions.tally);
        faults.addCount('answers without entries', emptyAmong(questions));
        await delay(BODIES_GONE_MS);
        return programs.memoryOf('presence');
      });
    const early = await soak(SOAK_SECONDS / 3);
    const late = await soak((SOAK_SECONDS * 2) / 3);
    const inRedis = (await redis.memoryOf(PRESENCE_KEYS)) - before.redis;
    return findingsOf({ inRedis, inProcess: late - before.process, growth: late - early }, faults);
  } finally {
    await Promise.all([ourLoad.stop(), askingLoad.stop()]);
  }
}

/** Runs all code paths of presence that the measurement needs. */
async function compileAll(bench: Bench, faults: Faults): Promise<void> {
  const { ourLoad, untilStart } = await openSteadyWorld(bench, forerunners);
  try {
    await untilStart();
    await bench.progress.step(`${forerunners.name}: warm-up`, async () => {
      await warmUp(ourLoad);
      for (const asked of ['nothing', 'changes'] as const) {
        const { tally } = await ourLoad.call('pollInTurn', asked, 2 * forerunners.pollSeconds);
        faults.add('forerunners', tally);
      }
      await delay(BODIES_GONE_MS);
    });
  } finally {
    await ourLoad.stop();
  }
}

/** Bytes. */
interface Found {
  readonly inRedis: number;
  readonly inProcess: number;
  readonly growth: number;
}

function findingsOf({ inRedis, inProcess, growth }: Found, faults: Faults): Finding[] {
  const bytesPerUser = (name: string, bytes: number, limit: number) =>
    resultOfTime({
      name: `${plan.name}.${name}`,
      value: bytes / plan.usersEach,
      unit: 'bytes/user',
      limit,
      target: TARGET,
      cpu_s_per_1000: {},
    });
  return [
    {
      result: bytesPerUser('redis', inRedis, MAX_IN_REDIS),
      notes: [`${plan.usersEach} users, ${TURNS} changes of each`],
      faults: faults.list,
    },
    {
      result: bytesPerUser('process', inProcess, MAX_IN_PROCESS),
      notes: [
        `from the first third of ${SOAK_SECONDS} s to their end it grew by ${(growth / 2 ** 20).toFixed(1)} MiB`,
      ],
      faults: [],
    },
  ];
}
