import { RedisReading } from '../limits/redis-reading.js';
import type { SteadyTally } from '../load/steady-crowd.js';
import type { SteadyLoad } from '../load/steady-load.js';
import { CpuUsage } from '../measure/cpu-usage.js';
import { interleave } from '../measure/interleave.js';
import { cpuClock } from '../measure/process-cpu.js';
import { cpuText, type Finding, resultOf } from '../results.js';
import { Faults } from './faults.js';
import type { Bench, Scenario } from './scenario.js';
import { openSteadyWorld } from './steady-world.js';

const CONNECTIONS = 32;
const ROUNDS = 5;
const ROUND_SECONDS = 2;
const WARM_UP_SECONDS = 3;

/**
 * A report and everything that has changed in a minute, in organisations whose people are all there: every entry
 * is refreshed once a minute, so that each answer has them all.
 */
export const presenceSteadyDeltas: readonly Scenario[] = [
  steadyDelta({ users: 100, target: 2.5 }),
  steadyDelta({ users: 1000, target: 8 }),
];

function steadyDelta({ users, target }: { users: number; target: number }): Scenario {
  const name = `presence.delta_${users}`;
  return { name, measure: (bench) => measureDelta(bench, { name, users, target }) };
}

interface DeltaPlan {
  readonly name: string;
  readonly users: number;
  readonly target: number;
}

async function measureDelta(bench: Bench, plan: DeltaPlan): Promise<Finding> {
  const { name, users: usersEach } = plan;
  // Their reports come just when the last one is old enough, and cursors are a little older than that.
  const { users, ourLoad, loadAt, untilStart } = await openSteadyWorld(bench, {
    name,
    subdomain: `steady${usersEach}-`,
    realms: 1,
    usersEach,
    pollSeconds: 57,
    refreshSeconds: 57,
    cursorSeconds: 60,
  });
  const limit = await RedisReading.start(bench.place, { redisUrl: bench.redisUrl, users });
  const limitLoad = await loadAt(limit.port);
  try {
    await untilStart();
    for (const load of [limitLoad, ourLoad]) await load.keepOnline();
    return await compare(bench, plan, { limit, limitLoad, ourLoad });
  } finally {
    await Promise.all([limitLoad.stop(), ourLoad.stop(), limit.stop()]);
  }
}

interface Rivals {
  readonly limit: RedisReading;
  readonly limitLoad: SteadyLoad;
  readonly ourLoad: SteadyLoad;
}

async function compare(
  { progress, programs, redis }: Bench,
  { name, target }: DeltaPlan,
  { limit, limitLoad, ourLoad }: Rivals,
): Promise<Finding> {
  const faults = new Faults();
  const ours = new Side('ours', ourLoad, faults, {
    'api-gateway': cpuClock(programs.pidOf('api-gateway')),
    presence: cpuClock(programs.pidOf('presence')),
    redis: () => redis.cpuSeconds(),
  });
  const reading = new Side('limit', limitLoad, faults, {
    'bare node:http': cpuClock(limit.pid),
    redis: () => redis.cpuSeconds(),
  });
  await progress.step(`${name}: warm-up`, async () => {
    for (const { load } of [reading, ours]) {
      await load.poll(CONNECTIONS, { seconds: WARM_UP_SECONDS });
    }
  });
  const rates = await progress.step(`${name}: ${ROUNDS} rounds of each`, () =>
    interleave(
      ROUNDS,
      () => reading.round(),
      () => ours.round(),
    ),
  );
  return {
    result: resultOf({
      name,
      value: rates.ours,
      unit: 'req/s',
      limit: rates.limit,
      target,
      cpu_s_per_1000: ours.cpuPerThousand,
    }),
    notes: [
      `the limit's CPU each: ${cpuText(reading.cpuPerThousand)}`,
      `an answer: ours ${ours.answerText}; the limit's ${reading.answerText}`,
    ],
    faults: faults.list,
  };
}

/** One of the two that are compared, over all its rounds. */
class Side {
  readonly #cpu: CpuUsage;
  #requests = 0;
  #last: SteadyTally | undefined;

  constructor(
    private readonly who: string,
    readonly load: SteadyLoad,
    private readonly faults: Faults,
    clocks: ConstructorParameters<typeof CpuUsage>[0],
  ) {
    this.#cpu = new CpuUsage(clocks);
  }

  get cpuPerThousand(): Record<string, number> {
    return this.#cpu.perThousand(this.#requests);
  }

  get answerText(): string {
    const { entriesPerAnswer = 0, bytesPerEntry = 0 } = this.#last ?? {};
    return `${entriesPerAnswer.toFixed(0)} entries, ${bytesPerEntry.toFixed(1)} bytes each`;
  }

  async round(): Promise<number> {
    const tally = await this.#cpu.during(() =>
      this.load.poll(CONNECTIONS, { seconds: ROUND_SECONDS }),
    );
    this.#requests += tally.requests;
    this.#last = tally;
    this.faults.add(this.who, tally);
    return tally.requests / tally.seconds;
  }
}
