import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { emptyAmong } from '../load/steady-crowd.js';
import type { SteadyLoad } from '../load/steady-load.js';
import { describeMachine } from '../machine.js';
import { type CpuClocks, CpuUsage } from '../measure/cpu-usage.js';
import { type Finding, resultOf } from '../results.js';
import type { OnlineUser } from '../world/steady-realms.js';
import { Faults } from './faults.js';
import { ourClocks } from './our-clocks.js';
import { startRedisReadingStack } from './redis-reading-stack.js';
import type { Bench, Scenario } from './scenario.js';
import { openSteadyWorld, type SteadyPlan, warmUp } from './steady-world.js';

const NAME = 'presence.curves';
const RESULTS = 'bench/results/presence-curves.json';
const SIZES = [100, 300, 1000, 3000, 10_000, 30_000, 50_000];
/** For small organisations, several are measured side by side. */
const USERS_TOGETHER = 10_000;
/** Above this size, not all users poll: the load generator and the machine could not carry it. */
const MAX_POLLERS = 10_000;
const TURN_SECONDS = 60;
/** Older than one turn by the duration of a measurement: not all users with entries poll. */
const CURSOR_SECONDS = 120;
const WARM_UP_SECONDS = 4;
const OUR_SECONDS = 10;
const IDLE_SECONDS = 3;
/** The compared design gets the same rate as ours, or the rate that uses half a core of it. */
const LIMIT_ENTRIES_PER_SECOND = 150_000;
const LIMIT_SECONDS = 6;
/** The warm-up time, in addition to a millisecond per sign-in. */
const READY_MS = 7500;
const SHOWN_SIZE = 10_000;
const TARGET = 8;

/**
 * The cost of a poll in organisations of a hundred to fifty thousand users, for Carillon and for a design that reads Redis
 * on each poll. The scenario writes the figures of docs/presence.md to its own file.
 */
export const presenceCurves: Scenario = { name: NAME, isLong: true, measure };

async function measure(bench: Bench): Promise<Finding> {
  const faults = new Faults();
  const points: CurvePoint[] = [];
  for (const size of SIZES) points.push(await measureSize(bench, size, faults));
  await writePoints(bench.place.root, points);
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
      `written to ${RESULTS}`,
    ],
    faults: faults.list,
  };
}

/** The cost of an organisation of one size. */
interface CurvePoint {
  readonly users: number;
  readonly cpu_us_per_poll: { readonly ours: number; readonly redis_reading: number };
  readonly bytes_per_answer: { readonly ours: number; readonly redis_reading: number };
}

async function writePoints(root: string, points: readonly CurvePoint[]): Promise<void> {
  const figures = { machine: describeMachine(new Date()), points };
  await writeFile(path.join(root, RESULTS), `${JSON.stringify(figures, null, 2)}\n`);
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
    usersPerPoller: Math.ceil((realms * size) / MAX_POLLERS),
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
  // The users of the other design have been online until now, too, without our polls.
  const passed = Date.now() - startsAt;
  const stack = await startRedisReadingStack(
    bench,
    users.map((user) => ({ ...user, seenAt: user.seenAt + passed })),
  );
  const clients = limitClients(users, size);
  // Viewers start without a backlog, which would block Redis for seconds.
  const late = { users: clients, startsAt: Date.now() + READY_MS + clients.length };
  const limitLoad = await loadAt({ over: 'http', port: stack.port }, late);
  try {
    await limitLoad.call('signIn');
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

/** The number of users who poll, within the limit of the compared design. */
function limitClients(users: readonly OnlineUser[], size: number): OnlineUser[] {
  const most = Math.min(MAX_POLLERS, (LIMIT_ENTRIES_PER_SECOND / size) * TURN_SECONDS);
  const usersPerPoller = Math.ceil(users.length / most);
  return users.filter((_, index) => index % usersPerPoller === 0);
}

/** Per poll. */
interface Cost {
  readonly cpuUs: number;
  readonly bytes: number;
}

async function measureSide(
  { progress }: Bench,
  {
    name,
    load,
    faults,
  }: { readonly name: string; readonly load: SteadyLoad; readonly faults: Faults },
  seconds: number,
  clocks: CpuClocks,
): Promise<Cost> {
  const [idle, busy] = [new CpuUsage(clocks), new CpuUsage(clocks)];
  // Started first: the warm-up catches up with changes that are missed here.
  await idle.during(() => delay(IDLE_SECONDS * 1000));
  await progress.step(`${name}: warm-up`, async () => {
    await warmUp(load);
    await load.call('pollInTurn', 'changes', WARM_UP_SECONDS);
  });
  const run = await progress.step(name, () =>
    busy.during(() => load.call('pollInTurn', 'changes', seconds)),
  );
  const { tally } = run;
  faults.add(name, tally);
  // A gateway gives such answers if presence does not answer in time.
  faults.addCount(`${name}: answers without entries`, emptyAmong(run));
  const used = sum(busy.perSecond(1)) - sum(idle.perSecond(IDLE_SECONDS)) * tally.seconds;
  return {
    cpuUs: Math.round((used * 1e6) / tally.requests),
    bytes: Math.round(tally.bytesPerAnswer),
  };
}

const sum = (seconds: Readonly<Record<string, number>>): number =>
  Object.values(seconds).reduce((total, one) => total + one, 0);
