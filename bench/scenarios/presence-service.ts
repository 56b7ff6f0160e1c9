import { startRedisReading } from '../limits/redis-reading.js';
import { interleave } from '../measure/interleave.js';
import { cpuClock } from '../measure/process-cpu.js';
import { type Finding, resultOfTime } from '../results.js';
import { Faults } from './faults.js';
import type { Bench, Scenario } from './scenario.js';
import { compareSteadily, type SteadyFigure, type SteadyRivals } from './steady-rivals.js';
import { SteadySide } from './steady-side.js';
import { bringPeopleOnline, type SteadyPlan } from './steady-world.js';

/** The polls of an idle office: no report is a change, and no answer has news. */
const emptyPollPlan: SteadyPlan = {
  name: 'presence.service.empty_poll',
  subdomain: 'idle',
  realms: 1,
  usersEach: 1000,
  pollSeconds: 57,
  // All users were seen within a second; for 55 s, none of their reports changes anything.
  refreshSeconds: 1,
  cursorSeconds: 0,
};
const LATENCY_ROUNDS = 3;
/** The poll rate of 300,000 users. */
const POLLS_PER_SECOND = 5000;
const LONGEST_MS = 5;

/**
 * The cost of a poll in presence itself, over its own transport, compared with a design that reads Redis on each poll
 * behind the same transport. The figure is the CPU of presence and Redis; the number of polls per second depends on the
 * load generator, which needs more CPU than presence.
 */
export const presenceServiceScenarios: readonly Scenario[] = [
  serviceDelta(100, 2.5),
  serviceDelta(1000, 8),
  {
    name: emptyPollPlan.name,
    measure: (bench) =>
      withRivals(bench, emptyPollPlan, async (rivals) => [
        await compareSteadily(bench, cpuFigure(emptyPollPlan.name, 2.5), rivals),
        await measureLatency(bench, `${emptyPollPlan.name}_p99`, rivals),
      ]),
  },
];

/**
 * Organisations with all users online: every entry is refreshed once a minute, so that each answer has all users.
 * Each report comes just when the last one is old enough, and cursors are slightly older.
 */
function deltaPlan(users: number): SteadyPlan {
  return {
    name: `presence.service.delta_${users}`,
    subdomain: `service${users}-`,
    realms: 1,
    usersEach: users,
    pollSeconds: 57,
    refreshSeconds: 57,
    cursorSeconds: 60,
  };
}

function serviceDelta(users: number, target: number): Scenario {
  const plan = deltaPlan(users);
  const { name } = plan;
  return {
    name,
    measure: (bench) =>
      withRivals(bench, { ...plan, name }, async (rivals) => {
        await rivals.keepOnline();
        return compareSteadily(bench, cpuFigure(name, target), rivals);
      }),
  };
}

interface Rivals extends SteadyRivals {
  /** From now on, all users report in turn. */
  readonly keepOnline: () => Promise<void>;
}

/** Brings the same users online in both designs. */
async function withRivals<Found>(
  bench: Bench,
  plan: SteadyPlan,
  measure: (rivals: Rivals) => Promise<Found>,
): Promise<Found> {
  const { place, programs, progress, redis, redisUrl } = bench;
  await programs.start('presence');
  const { users, loadAt, untilStart } = await progress.step(
    `${plan.name}: ${plan.usersEach} users`,
    () => bringPeopleOnline(bench, plan),
  );
  const limit = await startRedisReading(place, { redisUrl, users });
  const ourLoad = await loadAt({ over: 'wire', port: programs.presencePort });
  const limitLoad = await loadAt({ over: 'wire', port: limit.port });
  const faults = new Faults();
  try {
    await untilStart();
    return await measure({
      ours: new SteadySide('ours', ourLoad, faults, {
        presence: cpuClock(programs.pidOf('presence')),
        redis: () => redis.cpuSeconds(),
      }),
      reading: new SteadySide('limit', limitLoad, faults, {
        'redis-reading': cpuClock(limit.pid),
        redis: () => redis.cpuSeconds(),
      }),
      faults,
      keepOnline: async () => {
        for (const load of [limitLoad, ourLoad]) await load.call('keepOnline');
      },
    });
  } finally {
    await Promise.all([limitLoad.stop(), ourLoad.stop(), limit.stop()]);
  }
}

/** The number of polls per second of CPU. */
const cpuFigure = (name: string, target: number): SteadyFigure => ({
  name,
  unit: 'polls/CPU s',
  target,
  ofRound: (side) => side.cpuRateOfRound(),
  aside: { what: 'polls in a second, the loader beside them', of: ({ rate }) => rate.toFixed(0) },
});

async function measureLatency(
  { progress }: Bench,
  name: string,
  { ours, reading, faults }: Rivals,
): Promise<Finding> {
  const latencies = await progress.step(`${name}: ${POLLS_PER_SECOND} polls in a second`, () =>
    interleave(
      LATENCY_ROUNDS,
      () => reading.latencyOfRound(POLLS_PER_SECOND),
      () => ours.latencyOfRound(POLLS_PER_SECOND),
    ),
  );
  return {
    result: resultOfTime({
      name,
      value: latencies.ours,
      unit: 'ms (p99)',
      limit: LONGEST_MS,
      target: 1,
      cpu_s_per_1000: {},
    }),
    notes: [
      `${POLLS_PER_SECOND} polls in a second; by the design that reads Redis ${latencies.limit.toFixed(1)} ms`,
    ],
    faults: faults.list,
  };
}
