import type { EventRounds } from '../load/event-crowd.js';
import { CpuUsage } from '../measure/cpu-usage.js';
import { interleave } from '../measure/interleave.js';
import { median } from '../measure/median.js';
import { cpuClock } from '../measure/process-cpu.js';
import { type Finding, resultOf, resultOfTime } from '../results.js';
import { type EventsPlan, type EventsWorld, inEventsWorld } from './events-world.js';
import { ourClocks } from './our-clocks.js';
import type { Bench, Scenario } from './scenario.js';

const FAN_OUT_CLIENTS = 10_000;
const FAN_OUT_ROUNDS = 15;
const RATE_CLIENTS = 1000;
const RATE_ROUNDS = 20;
const RATE_REPEATS = 5;
const REGISTERED = 10_000;
const REGISTRATIONS = 60;
const REGISTER_REPEATS = 3;
const REGISTER_CONNECTIONS = 16;
/** All clients of a small office after a restart of their network. */
const AT_ONCE = 100;
const TARGET = 0.5;

const plans = {
  fanOut: {
    name: 'events.fanout_10000',
    subdomain: 'fanout',
    users: FAN_OUT_CLIENTS,
    polling: FAN_OUT_CLIENTS,
  },
  rate: { name: 'events.rate', subdomain: 'rate', users: RATE_CLIENTS, polling: RATE_CLIENTS },
  register: {
    name: 'events.register_10000',
    subdomain: 'register',
    users: REGISTERED,
    polling: 0,
  },
} satisfies Record<string, EventsPlan>;

/** One change for ten thousand clients that wait: the time until the last one has the event. */
export const eventsFanOut: Scenario = { name: plans.fanOut.name, measure: measureFanOut };

/** A thousand clients that poll again at once: the answers with an event in a second. */
export const eventsRate: Scenario = { name: plans.rate.name, measure: measureRate };

/** Registrations with the whole state of an organisation of ten thousand accounts. */
export const eventsRegister: Scenario = { name: plans.register.name, measure: measureRegister };

/** The CPU of both sides during their rounds, and the wrong answers. */
class Sides {
  readonly faults: string[] = [];
  readonly #ours: CpuUsage;
  readonly #limit: CpuUsage;

  constructor(bench: Bench, { limitServer }: EventsWorld) {
    const { presence: _presence, ...clocks } = ourClocks(bench);
    this.#ours = new CpuUsage({ ...clocks, postgres: () => bench.database.cpuSeconds() });
    this.#limit = new CpuUsage({ limit: cpuClock(limitServer.pid) });
  }

  async measure<Result extends number | EventRounds>(
    side: 'ours' | 'limit',
    work: () => Promise<Result>,
  ): Promise<Result> {
    const result = await (side === 'ours' ? this.#ours : this.#limit).during(work);
    if (typeof result === 'object') this.faults.push(...result.wrong);
    return result;
  }

  cpu(operations: number) {
    return {
      cpu_s_per_1000: this.#ours.perThousand(operations),
      limit_cpu_s_per_1000: this.#limit.perThousand(operations),
    };
  }
}

async function measureFanOut(bench: Bench): Promise<Finding> {
  return inEventsWorld(bench, plans.fanOut, async (world) => {
    const sides = new Sides(bench, world);
    const p99s: number[] = [];
    const roundOf = async (side: 'ours' | 'limit') => {
      const { lastMs, p99Ms } = await sides.measure(side, () => world[side].call('rounds', 1));
      if (side === 'ours') p99s.push(...p99Ms);
      return median(lastMs);
    };
    await world.limit.call('rounds', 1);
    await world.ours.call('rounds', 1);
    const times = await interleave(
      FAN_OUT_ROUNDS,
      () => roundOf('limit'),
      () => roundOf('ours'),
    );
    return {
      result: resultOfTime({
        name: plans.fanOut.name,
        value: times.ours,
        unit: 'ms',
        limit: times.limit,
        target: TARGET,
        ...sides.cpu(FAN_OUT_ROUNDS * FAN_OUT_CLIENTS),
      }),
      notes: [
        `p99 ${median(p99s).toFixed(0)} ms; answers in a second: ${Math.round((FAN_OUT_CLIENTS / times.ours) * 1000)}`,
      ],
      faults: sides.faults,
    };
  });
}

async function measureRate(bench: Bench): Promise<Finding> {
  return inEventsWorld(bench, plans.rate, async (world) => {
    const sides = new Sides(bench, world);
    const p99s: number[] = [];
    const rateOf = async (side: 'ours' | 'limit') => {
      const { seconds, p99Ms } = await sides.measure(side, () =>
        world[side].call('stream', RATE_ROUNDS),
      );
      if (side === 'ours') p99s.push(...p99Ms);
      return (RATE_CLIENTS * RATE_ROUNDS) / seconds;
    };
    await world.limit.call('stream', RATE_ROUNDS);
    await world.ours.call('stream', RATE_ROUNDS);
    const rates = await interleave(
      RATE_REPEATS,
      () => rateOf('limit'),
      () => rateOf('ours'),
    );
    return {
      result: resultOf({
        name: plans.rate.name,
        value: rates.ours,
        unit: 'answers/s',
        limit: rates.limit,
        target: TARGET,
        ...sides.cpu(RATE_REPEATS * RATE_ROUNDS * RATE_CLIENTS),
      }),
      notes: [`p99 from the request of a change to an answer: ${median(p99s).toFixed(0)} ms`],
      faults: sides.faults,
    };
  });
}

async function measureRegister(bench: Bench): Promise<Finding> {
  return inEventsWorld(bench, plans.register, async (world) => {
    const sides = new Sides(bench, world);
    const rateOf = (side: 'ours' | 'limit') =>
      sides.measure(side, () => world[side].call('register', REGISTRATIONS, REGISTER_CONNECTIONS));
    await world.ours.call('register', REGISTRATIONS, REGISTER_CONNECTIONS);
    const rates = await interleave(
      REGISTER_REPEATS,
      () => rateOf('limit'),
      () => rateOf('ours'),
    );
    // Rejects if one of them fails.
    const rateAtOnce = await world.ours.call('register', AT_ONCE, AT_ONCE);
    return {
      result: resultOf({
        name: plans.register.name,
        value: rates.ours,
        unit: 'req/s',
        limit: rates.limit,
        target: null,
        ...sides.cpu(REGISTER_REPEATS * REGISTRATIONS),
      }),
      notes: [
        `a state of ${world.stateBytes} bytes; ${AT_ONCE} at once took ${(AT_ONCE / rateAtOnce).toFixed(1)} s`,
      ],
      faults: sides.faults,
    };
  });
}
