import { setTimeout as delay } from 'node:timers/promises';
import { emptyAmong } from '../load/steady-crowd.js';
import type { SteadyLoad } from '../load/steady-load.js';
import { type CpuClocks, CpuUsage } from '../measure/cpu-usage.js';
import { type CurvePoint, writeCurves } from '../pictures/presence-curves.js';
import { type Finding, resultOf } from '../results.js';
import type { OnlineUser } from '../world/steady-realms.js';
import { Faults } from './faults.js';
import { ourClocks } from './our-clocks.js';
import { startRedisReadingStack } from './redis-reading-stack.js';
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
const OUR_SECONDS = 10;
const IDLE_SECONDS = 3;
/** The limit is asked at the same pace as ours, or as seldom as it can make so many entries: half a core of it. */
const LIMIT_ENTRIES_PER_SECOND = 150_000;
const LIMIT_SECONDS = 6;
/** After this, and a millisecond for each sign-in, its programs are warm. */
const READY_MS = 7500;
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
  const measured = (side: string, load: SteadyLoad) => ({
    name: `${plan.name}: ${side}`,
    load,
    faults,
  });
  await untilStart();
  const ours = await measureSide(bench, measured('ours', ourLoad), OUR_SECONDS, ourClocks(bench));
  await ourLoad.stop();
  // The other design's users have been online until now as well, without a poll of ours.
  const passed = Date.now() - startsAt;
  const stack = await startRedisReadingStack(
    bench,
    users.map((user) => ({ ...user, seenAt: user.seenAt + passed })),
  );
  const clients = limitClients(users, size);
  // Who comes this late has missed nothing: a backlog would hold up Redis for seconds.
  const late = { users: clients, startsAt: Date.now() + READY_MS + clients.length };
  const limitLoad = await loadAt({ over: 'http', port: stack.port }, late);
  try {
    await limitLoad.signIn();
    const side = measured('reading Redis', limitLoad);
    const reading = await measureSide(bench, side, LIMIT_SECONDS, stack.clocks);
    return {
      users: size,
      cpu_us_per_poll: { ours: ours.cpuUs, redis_reading: reading.cpuUs },
      bytes_per_answer: { ours: ours.bytes, redis_reading: reading.bytes },
    };
  } finally {
    await limitLoad.stop();
    await stack.stop();
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

interface Side {
  readonly name: string;
  readonly load: SteadyLoad;
  readonly faults: Faults;
}

async function measureSide(
  { progress }: Bench,
  { name, load, faults }: Side,
  seconds: number,
  clocks: CpuClocks,
): Promise<Cost> {
  const [idle, busy] = [new CpuUsage(clocks), new CpuUsage(clocks)];
  // First of all: what is missed meanwhile is caught up with in the warm-up.
  await idle.during(() => delay(IDLE_SECONDS * 1000));
  await progress.step(`${name}: warm-up`, async () => {
    await warmUp(load);
    await load.pollInTurn('changes', WARM_UP_SECONDS);
  });
  const run = await progress.step(name, () =>
    busy.during(() => load.pollInTurn('changes', seconds)),
  );
  const { tally } = run;
  faults.add(name, tally);
  // A gateway gives these where presence does not answer in time.
  faults.addCount(`${name}: answers without entries`, emptyAmong(run));
  const used = sum(busy.perSecond(1)) - sum(idle.perSecond(IDLE_SECONDS)) * tally.seconds;
  return {
    cpuUs: Math.round((used * 1e6) / tally.requests),
    bytes: Math.round(tally.bytesPerAnswer),
  };
}

const sum = (seconds: Readonly<Record<string, number>>): number =>
  Object.values(seconds).reduce((total, one) => total + one, 0);
