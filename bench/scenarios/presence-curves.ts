import { setTimeout as delay } from 'node:timers/promises';
import { RedisReading } from '../limits/redis-reading.js';
import type { SteadyLoad } from '../load/steady-load.js';
import { CpuUsage } from '../measure/cpu-usage.js';
import { cpuClock } from '../measure/process-cpu.js';
import { type CurvePoint, writeCurves } from '../pictures/presence-curves.js';
import { type Finding, resultOf } from '../results.js';
import type { OnlineUser } from '../world/steady-realms.js';
import { Faults } from './faults.js';
import type { Bench, Scenario } from './scenario.js';
import { openSteadyWorld, type SteadyPlan, warmUp } from './steady-world.js';

const NAME = 'presence.curves';
const SIZES = [100, 300, 1000, 3000, 10_000, 30_000, 50_000];
/** In small organisations the usual pace is that of several beside each other. */
const USERS_TOGETHER = 10_000;
/** Above this many, not all users poll: the loader and the machine could not take it in. */
const MOST_POLLERS = 10_000;
const TURN_SECONDS = 60;
/** Older than a turn by the time that a measurement takes: not all whose entries are to be in it poll. */
const CURSOR_SECONDS = 120;
const WARM_UP_SECONDS = 4;
const MEASURED_SECONDS = 10;
const IDLE_SECONDS = 3;
/** The limit is asked at the same pace as ours, or as seldom as it can make so many entries: half a core of it. */
const LIMIT_ENTRIES_PER_SECOND = 150_000;
const LIMIT_SECONDS = 6;
const SHOWN_SIZE = 10_000;
const TARGET = 8;

/**
 * What a poll costs in organisations from a hundred users to fifty thousand, ours and by a design that reads Redis
 * on each poll; it draws the picture of the docs.
 */
export const presenceCurves: Scenario = { name: NAME, isLong: true, measure };

async function measure(bench: Bench): Promise<Finding> {
  const faults = new Faults();
  const points: CurvePoint[] = [];
  for (const size of SIZES) points.push(await measureSize(bench, size, faults));
  const files = await writeCurves(bench.place.root, points);
  const shown = points.find(({ users }) => users === SHOWN_SIZE)?.cpu_us_per_poll;
  const pollsPerSecond = (us = Number.NaN) => 1e6 / us;
  return {
    result: resultOf({
      name: NAME,
      value: pollsPerSecond(shown?.ours),
      unit: `polls/CPU s at ${SHOWN_SIZE} users`,
      limit: pollsPerSecond(shown?.redis_reading),
      target: TARGET,
      cpu_s_per_1000: {},
    }),
    notes: [
      ...points.map(
        ({ users, cpu_us_per_poll: cpu, bytes_per_answer: bytes }) =>
          `${users} users: ${cpu.ours} us, ${bytes.ours} bytes; ` +
          `reading Redis ${cpu.redis_reading} us, ${bytes.redis_reading} bytes`,
      ),
      `written to ${files.join(' and ')}`,
    ],
    faults: faults.list,
  };
}

async function measureSize(bench: Bench, size: number, faults: Faults): Promise<CurvePoint> {
  const realms = Math.max(1, Math.round(USERS_TOGETHER / size));
  const plan: SteadyPlan = {
    name: `${NAME}: ${size} each`,
    subdomain: `curve${size}-`,
    realms,
    usersEach: size,
    pollSeconds: TURN_SECONDS,
    refreshSeconds: TURN_SECONDS,
    cursorSeconds: CURSOR_SECONDS,
    usersPerPoller: Math.ceil((realms * size) / MOST_POLLERS),
  };
  const { users, ourLoad, loadAt, startsAt, untilStart } = await openSteadyWorld(bench, plan);
  try {
    await untilStart();
    const ours = await measureOurs(bench, plan.name, ourLoad, faults);
    // The limit's users have been online until now as well, without a poll of ours.
    const passed = Date.now() - startsAt;
    const limit = await RedisReading.start(bench.place, {
      redisUrl: bench.redisUrl,
      users: users.map((user) => ({ ...user, seenAt: user.seenAt + passed })),
    });
    const limitLoad = await loadAt(limit.port, limitClients(users, size));
    try {
      const reading = await measureReading(bench, plan.name, { limit, limitLoad }, faults);
      return {
        users: size,
        cpu_us_per_poll: { ours: ours.cpuUs, redis_reading: reading.cpuUs },
        bytes_per_answer: { ours: ours.bytes, redis_reading: reading.bytes },
      };
    } finally {
      await Promise.all([limitLoad.stop(), limit.stop()]);
    }
  } finally {
    await ourLoad.stop();
  }
}

/** As many of the users as poll often enough, and not more often than the limit carries. */
function limitClients(users: readonly OnlineUser[], size: number): OnlineUser[] {
  const most = Math.min(MOST_POLLERS, (LIMIT_ENTRIES_PER_SECOND / size) * TURN_SECONDS);
  const usersPerPoller = Math.ceil(users.length / most);
  return users.filter((_, index) => index % usersPerPoller === 0);
}

/** Of one poll. */
interface Cost {
  readonly cpuUs: number;
  readonly bytes: number;
}

async function measureOurs(
  { progress, programs, redis }: Bench,
  name: string,
  load: SteadyLoad,
  faults: Faults,
): Promise<Cost> {
  const newUsage = () =>
    new CpuUsage({
      'api-gateway': cpuClock(programs.pidOf('api-gateway')),
      presence: cpuClock(programs.pidOf('presence')),
      redis: () => redis.cpuSeconds(),
    });
  const [idle, busy] = [newUsage(), newUsage()];
  // First of all: what is missed meanwhile is caught up with in the warm-up.
  await idle.during(() => delay(IDLE_SECONDS * 1000));
  await progress.step(`${name}: warm-up`, async () => {
    await warmUp(load);
    await load.pollInTurn('changes', WARM_UP_SECONDS);
  });
  const { tally } = await progress.step(`${name}: ours`, () =>
    busy.during(() => load.pollInTurn('changes', MEASURED_SECONDS)),
  );
  faults.add(`${name}: ours`, tally);
  const seconds = sum(busy.perSecond(1)) - sum(idle.perSecond(IDLE_SECONDS)) * tally.seconds;
  return costOf(seconds, tally);
}

async function measureReading(
  { progress, redis }: Bench,
  name: string,
  { limit, limitLoad }: { readonly limit: RedisReading; readonly limitLoad: SteadyLoad },
  faults: Faults,
): Promise<Cost> {
  const usage = new CpuUsage({ node: cpuClock(limit.pid), redis: () => redis.cpuSeconds() });
  await warmUp(limitLoad);
  await limitLoad.pollInTurn('changes', WARM_UP_SECONDS);
  const { tally } = await progress.step(`${name}: reading Redis`, () =>
    usage.during(() => limitLoad.pollInTurn('changes', LIMIT_SECONDS)),
  );
  faults.add(`${name}: reading Redis`, tally);
  return costOf(sum(usage.perSecond(1)), tally);
}

const costOf = (
  seconds: number,
  {
    requests,
    entriesPerAnswer,
    bytesPerEntry,
  }: { requests: number; entriesPerAnswer: number; bytesPerEntry: number },
): Cost => ({
  cpuUs: Math.round((seconds * 1e6) / requests),
  bytes: Math.round(entriesPerAnswer * bytesPerEntry),
});

const sum = (seconds: Readonly<Record<string, number>>): number =>
  Object.values(seconds).reduce((total, one) => total + one, 0);
