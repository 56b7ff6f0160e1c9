import { setTimeout as delay } from 'node:timers/promises';
import type { TimedPoll } from '../load/steady-crowd.js';
import { latencyText, percentile } from '../measure/percentile.js';
import { type Finding, resultOfTime } from '../results.js';
import { Faults } from './faults.js';
import { tenThousand } from './presence-many.js';
import type { Bench, Scenario } from './scenario.js';
import { openSteadyWorld, type SteadyPlan } from './steady-world.js';

const plan: SteadyPlan = { ...tenThousand, name: 'presence.herd', subdomain: 'herd' };

const WARM_UP_SECONDS = 5;
const UNTIL_KILL_MS = 2000;
const WATCHED_MS = 10_000;
/** Enough for the restart of a program on a busy machine, and for the measurement after it. */
const WHOLE_SECONDS = 25;
const WORST = 0.99;
const LONGEST_MS = 1000;
const TARGET = 1;

/**
 * Presence is killed while ten thousand clients poll: the response times in the ten seconds after it serves again, with an
 * empty memory.
 */
export const presenceHerd: Scenario = { name: plan.name, measure };

/** UNIX milliseconds. */
interface Restart {
  readonly killedAt: number;
  readonly servesAt: number;
}

async function measure(bench: Bench): Promise<Finding> {
  const { progress, programs } = bench;
  const faults = new Faults();
  const { ourLoad, untilStart } = await openSteadyWorld(bench, plan);
  try {
    await untilStart();
    await progress.step(`${plan.name}: warm-up`, () =>
      ourLoad.call('pollInTurn', 'changes', WARM_UP_SECONDS),
    );
    return await progress.step(`${plan.name}: polls while presence is killed`, async () => {
      const polling = ourLoad.call('pollInTurn', 'changes', WHOLE_SECONDS);
      polling.catch(() => undefined);
      await delay(UNTIL_KILL_MS);
      const killedAt = Date.now();
      await programs.kill('presence');
      await programs.start('presence');
      const servesAt = Date.now();
      const { polls, tally } = await polling;
      faults.add('polls', tally);
      const loads = await replicaLoads(programs.presenceMetricsUrl);
      return findingOf({ killedAt, servesAt }, polls, loads, faults);
    });
  } finally {
    await ourLoad.stop();
  }
}

function findingOf(
  { killedAt, servesAt }: Restart,
  polls: readonly TimedPoll[],
  loads: number | null,
  faults: Faults,
): Finding {
  const latencies = (from: number, to: number) =>
    polls.filter(({ dueAt }) => dueAt >= from && dueAt < to).map(({ latencyMs }) => latencyMs);
  const duringOutage = latencies(killedAt, servesAt);
  const afterOutage = latencies(servesAt, servesAt + WATCHED_MS);
  const answered = polls.filter(({ dueAt, isEmpty }) => dueAt >= killedAt && !isEmpty);
  const firstAt = Math.min(...answered.map(({ dueAt, latencyMs }) => dueAt + latencyMs));
  const without = polls.filter(({ dueAt, isEmpty }) => dueAt >= servesAt && isEmpty).length;
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
  return {
    result: resultOfTime({
      name: plan.name,
      value: percentile(afterOutage, WORST),
      unit: 'ms (p99)',
      limit: LONGEST_MS,
      target: TARGET,
      cpu_s_per_1000: {},
    }),
    notes: [
      `the first answer with entries came ${seconds(firstAt - killedAt)} after the kill; ` +
        `presence said it was ready after ${seconds(servesAt - killedAt)}`,
      `${duringOutage.length} polls during the outage: ${latencyText(duringOutage)}; ${afterOutage.length} after that: ${latencyText(afterOutage)}`,
      `polls answered without entries after it was ready: ${without}; ` +
        `organisations read from Redis: ${loads ?? 'unknown'}`,
    ],
    faults: faults.list,
  };
}

/** The number of replicas that a presence process has loaded; null without the metric. */
async function replicaLoads(metricsUrl: string): Promise<number | null> {
  const text = await (await fetch(metricsUrl)).text();
  const loads = [...text.matchAll(/^carillon_presence_replica_loads_total\{.*\} (\d+)$/gm)];
  return loads.length === 0 ? null : loads.reduce((sum, [, count]) => sum + Number(count), 0);
}
