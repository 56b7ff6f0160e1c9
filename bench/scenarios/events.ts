import type { EventRounds } from '../load/event-crowd.js';
import { median } from '../measure/median.js';
import { type Finding, resultOf, resultOfTime } from '../results.js';
import { type EventsWorld, openEventsWorld } from './events-world.js';
import { interleave } from '../measure/interleave.js';
import type { Bench, Scenario } from './scenario.js';

const FAN_OUT_CLIENTS = 10_000;
const FAN_OUT_ROUNDS = 5;
const RATE_CLIENTS = 1000;
const RATE_ROUNDS = 5;
const RATE_REPEATS = 3;
const REGISTERED = 10_000;
const REGISTRATIONS = 60;
const REGISTER_REPEATS = 3;

/** One change for ten thousand clients that wait: the time until the last one has the event. */
export const eventsFanOut: Scenario = { name: 'events.fanout_10000', measure: measureFanOut };

/** A thousand clients that poll again after each change: answers in a second, and the time until an event arrives. */
export const eventsRate: Scenario = { name: 'events.rate', measure: measureRate };

/** Registrations with the whole state of an organisation of ten thousand accounts. */
export const eventsRegister: Scenario = { name: 'events.register_10000', measure: measureRegister };

async function measureFanOut(bench: Bench): Promise<Finding> {
  const { name } = eventsFanOut;
  const plan = { name, subdomain: 'fanout', users: FAN_OUT_CLIENTS, polling: FAN_OUT_CLIENTS };
  return inWorld(bench, plan, async ({ ours, limit }) => {
    const faults: string[] = [];
    const lastOf = async (rounds: Promise<EventRounds>) => {
      const { lastMs, wrong } = await rounds;
      faults.push(...wrong);
      return median(lastMs);
    };
    await lastOf(limit.rounds(1));
    await lastOf(ours.rounds(1));
    const times = await interleave(
      FAN_OUT_ROUNDS,
      () => lastOf(limit.rounds(1)),
      () => lastOf(ours.rounds(1)),
    );
    const measured = { name, value: times.ours, unit: 'ms', limit: times.limit };
    return {
      result: resultOfTime({ ...measured, target: 0.5, cpu_s_per_1000: {} }),
      notes: [`answers in a second: ${Math.round((FAN_OUT_CLIENTS / times.ours) * 1000)}`],
      faults,
    };
  });
}

async function measureRate(bench: Bench): Promise<Finding[]> {
  const { name } = eventsRate;
  const plan = { name, subdomain: 'rate', users: RATE_CLIENTS, polling: RATE_CLIENTS };
  return inWorld(bench, plan, async ({ ours, limit }) => {
    const faults: string[] = [];
    const lags = { ours: [] as number[], limit: [] as number[] };
    const rateOf = async (rounds: Promise<EventRounds>, p99s: number[]) => {
      const { seconds, p99Ms, wrong } = await rounds;
      faults.push(...wrong);
      p99s.push(...p99Ms);
      return (RATE_CLIENTS * RATE_ROUNDS) / seconds;
    };
    await rateOf(limit.rounds(RATE_ROUNDS), []);
    await rateOf(ours.rounds(RATE_ROUNDS), []);
    const rates = await interleave(
      RATE_REPEATS,
      () => rateOf(limit.rounds(RATE_ROUNDS), lags.limit),
      () => rateOf(ours.rounds(RATE_ROUNDS), lags.ours),
    );
    const common = { target: null, cpu_s_per_1000: {} };
    const lag = { value: median(lags.ours), limit: median(lags.limit) };
    return [
      {
        result: resultOf({
          ...common,
          name,
          value: rates.ours,
          unit: 'answers/s',
          limit: rates.limit,
          target: 0.5,
        }),
        notes: [],
        faults,
      },
      {
        result: resultOfTime({ ...common, ...lag, name: 'events.lag', unit: 'ms (p99)' }),
        notes: ['with the 20 ms in which events are gathered'],
        faults: [],
      },
    ];
  });
}

async function measureRegister(bench: Bench): Promise<Finding> {
  const { name } = eventsRegister;
  const plan = { name, subdomain: 'register', users: REGISTERED, polling: 0 };
  return inWorld(bench, plan, async ({ ours, limit, stateBytes }) => {
    await ours.register(REGISTRATIONS);
    const rates = await interleave(
      REGISTER_REPEATS,
      () => limit.register(REGISTRATIONS),
      () => ours.register(REGISTRATIONS),
    );
    const measured = { name, value: rates.ours, unit: 'req/s', limit: rates.limit };
    return {
      result: resultOf({ ...measured, target: null, cpu_s_per_1000: {} }),
      notes: [`a state of ${stateBytes} bytes`],
      faults: [],
    };
  });
}

async function inWorld<Result>(
  bench: Bench,
  plan: Parameters<typeof openEventsWorld>[1],
  measure: (world: EventsWorld) => Promise<Result>,
): Promise<Result> {
  const world = await openEventsWorld(bench, plan);
  try {
    return await bench.progress.step(`${plan.name}: rounds`, () => measure(world));
  } finally {
    await world.stop();
  }
}
