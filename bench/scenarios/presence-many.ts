import { emptyAmong, type TimedRun } from '../load/steady-crowd.js';
import { CpuUsage } from '../measure/cpu-usage.js';
import { median } from '../measure/median.js';
import { latencyText } from '../measure/percentile.js';
import { cpuClock } from '../measure/process-cpu.js';
import { withSpecial } from '../processes/special-run.js';
import { type Finding, resultOfTime } from '../results.js';
import { Faults } from './faults.js';
import type { Bench, Scenario } from './scenario.js';
import { openSteadyWorld, type SteadyPlan, type SteadyWorld, warmUp } from './steady-world.js';

const WARM_UP_SECONDS = 5;
const ROUNDS = 3;
const ROUND_SECONDS = 5;
/** The share of one core for the bodies of all answers. */
const MAX_BODY_MS_PER_SECOND = 100;
/** The resolution of the CPU clocks of processes. */
const MIN_MS_PER_SECOND = 1;
const MAX_BYTES_PER_ENTRY = 8;
const TARGET = 1;

/** Ten thousand users of one organisation. Each user polls once a minute. */
export const tenThousand: SteadyPlan = {
  name: 'presence.ten_thousand',
  subdomain: 'tenthousand',
  realms: 1,
  usersEach: 10_000,
  pollSeconds: 60,
  refreshSeconds: 60,
  cursorSeconds: 60,
};

/** The setting for an installation of this size: every fourth poll refreshes the user. */
const SLOW_TIMING = { PRESENCE_PING_SECONDS: '90', PRESENCE_OFFLINE_SECONDS: '560' };
const fiftyThousand: SteadyPlan = {
  name: 'presence.fifty_thousand',
  subdomain: 'fiftythousand',
  realms: 1,
  usersEach: 50_000,
  pollSeconds: 90,
  refreshSeconds: 360,
  cursorSeconds: 90,
};

/** The cost and size of the answers at the usual poll rate. */
export const presenceTenThousand: Scenario = {
  name: tenThousand.name,
  measure: (bench) => measureMany(bench, tenThousand),
};

export const presenceFiftyThousand: Scenario = {
  name: fiftyThousand.name,
  isLong: true,
  measure: (bench) =>
    withSpecial(bench.programs, { environment: SLOW_TIMING }, () =>
      measureMany(bench, fiftyThousand),
    ),
};

async function measureMany(bench: Bench, plan: SteadyPlan): Promise<Finding[]> {
  const world = await openSteadyWorld(bench, plan);
  try {
    return await pollAtTheirPace(bench, plan, world);
  } finally {
    await world.ourLoad.stop();
  }
}

async function pollAtTheirPace(
  { progress, programs }: Bench,
  { name }: SteadyPlan,
  { ourLoad, untilStart }: SteadyWorld,
): Promise<Finding[]> {
  const faults = new Faults();
  const newUsage = () =>
    new CpuUsage({
      'api-gateway': cpuClock(programs.pidOf('api-gateway')),
      presence: cpuClock(programs.pidOf('presence')),
    });
  const [withBodies, without] = [newUsage(), newUsage()];
  await untilStart();
  await progress.step(`${name}: warm-up`, async () => {
    await warmUp(ourLoad);
    await ourLoad.call('pollInTurn', 'changes', WARM_UP_SECONDS);
  });
  const runs: TimedRun[] = [];
  let pingSeconds = 0;
  // In turn, so that other load of the machine affects both.
  await progress.step(`${name}: ${ROUNDS} rounds with a question and without`, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const polls = await withBodies.during(() =>
        ourLoad.call('pollInTurn', 'changes', ROUND_SECONDS),
      );
      const pings = await without.during(() =>
        ourLoad.call('pollInTurn', 'nothing', ROUND_SECONDS),
      );
      runs.push(polls);
      pingSeconds += pings.tally.seconds;
      faults.add('polls', polls.tally);
      faults.add('reports without a question', pings.tally);
      faults.addCount('answers without entries', emptyAmong(polls));
    }
  });
  const requests = sumOf(runs, ({ tally }) => tally.requests);
  const seconds = sumOf(runs, (run) => run.tally.seconds);
  return findingsOf(name, runs, faults, {
    polls: withBodies.perSecond(seconds),
    pings: without.perSecond(pingSeconds),
    perThousand: withBodies.perThousand(requests),
    rate: requests / seconds,
  });
}

const sumOf = (runs: readonly TimedRun[], of: (run: TimedRun) => number): number =>
  runs.reduce((sum, run) => sum + of(run), 0);

/** CPU seconds per second, by program. */
type Cpu = Readonly<Record<string, number>>;

function findingsOf(
  name: string,
  runs: readonly TimedRun[],
  faults: Faults,
  cpu: {
    readonly polls: Cpu;
    readonly pings: Cpu;
    readonly perThousand: Cpu;
    readonly rate: number;
  },
): Finding[] {
  const inMs = (of: Cpu, program: string) => (of[program] ?? Number.NaN) * 1000;
  const bodies = inMs(cpu.polls, 'presence') - inMs(cpu.pings, 'presence');
  const latencies = runs.flatMap(({ polls }) => polls.map(({ latencyMs }) => latencyMs));
  const costText = (of: Cpu) =>
    ['presence', 'api-gateway'].map((one) => `${one} ${inMs(of, one).toFixed(0)} ms`).join(', ');
  return [
    {
      result: resultOfTime({
        name: `${name}.bodies`,
        value: Math.max(MIN_MS_PER_SECOND, bodies),
        unit: 'ms CPU/s',
        limit: MAX_BODY_MS_PER_SECOND,
        target: TARGET,
        cpu_s_per_1000: cpu.perThousand,
      }),
      notes: [
        `${cpu.rate.toFixed(0)} polls/s: ${latencyText(latencies)}`,
        `CPU in a second: ${costText(cpu.polls)}; of as many reports without a question: ${costText(cpu.pings)}`,
      ],
      faults: faults.list,
    },
    {
      result: resultOfTime({
        name: `${name}.bytes`,
        value: median(runs.map(({ tally }) => tally.bytesPerAnswer / tally.entriesPerAnswer)),
        unit: 'bytes/entry',
        limit: MAX_BYTES_PER_ENTRY,
        target: TARGET,
        cpu_s_per_1000: {},
      }),
      notes: [
        `${median(runs.map(({ tally }) => tally.entriesPerAnswer)).toFixed(0)} entries in an answer`,
      ],
      faults: [],
    },
  ];
}
