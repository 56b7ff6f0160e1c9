import { interleave } from '../measure/interleave.js';
import { type Finding, resultOf } from '../results.js';
import { Faults } from './faults.js';
import { ourClocks } from './our-clocks.js';
import { startRedisReadingStack } from './redis-reading-stack.js';
import type { Bench, Scenario } from './scenario.js';
import { SteadySide } from './steady-side.js';
import { openSteadyWorld, type SteadyPlan } from './steady-world.js';

const ROUNDS = 5;
/** For a second gateway and another sign-in of all. */
const PREPARATION_MS = 8000;

/**
 * Organisations whose people are all there: every entry is refreshed once a minute, so that each answer has them
 * all. Their reports come just when the last one is old enough, and cursors are a little older than that.
 */
export const steadyDeltaPlan = (users: number): SteadyPlan => ({
  name: `presence.delta_${users}`,
  subdomain: `steady${users}-`,
  realms: 1,
  usersEach: users,
  pollSeconds: 57,
  refreshSeconds: 57,
  cursorSeconds: 60,
});

/** A report and everything that has changed in a minute, as a client asks it: our gateway is before both designs. */
export const presenceSteadyDeltas: readonly Scenario[] = [100, 1000]
  .map(steadyDeltaPlan)
  .map((plan) => ({
    name: plan.name,
    measure: (bench) => measureDelta(bench, { ...plan, preparationMs: PREPARATION_MS }),
  }));

async function measureDelta(bench: Bench, plan: SteadyPlan): Promise<Finding> {
  const { users, ourLoad, loadAt, untilStart } = await openSteadyWorld(bench, plan);
  const stack = await startRedisReadingStack(bench, users);
  const limitLoad = await loadAt({ over: 'http', port: stack.port });
  try {
    await limitLoad.signIn();
    await untilStart();
    for (const load of [limitLoad, ourLoad]) await load.keepOnline();
    const faults = new Faults();
    return await compare(bench, plan.name, faults, {
      ours: new SteadySide('ours', ourLoad, faults, ourClocks(bench)),
      reading: new SteadySide('limit', limitLoad, faults, stack.clocks),
    });
  } finally {
    await Promise.all([limitLoad.stop(), ourLoad.stop()]);
    await stack.stop();
  }
}

async function compare(
  { progress }: Bench,
  name: string,
  faults: Faults,
  { ours, reading }: { readonly ours: SteadySide; readonly reading: SteadySide },
): Promise<Finding> {
  await progress.step(`${name}: warm-up`, async () => {
    for (const side of [reading, ours]) await side.warmUp();
  });
  const rates = await progress.step(`${name}: ${ROUNDS} rounds of each`, () =>
    interleave(
      ROUNDS,
      () => reading.rateOfRound(),
      () => ours.rateOfRound(),
    ),
  );
  return {
    result: resultOf({
      name,
      value: rates.ours,
      unit: 'req/s',
      limit: rates.limit,
      // How much of a request is the gateway's bounds this.
      target: null,
      cpu_s_per_1000: ours.cpuPerThousand,
      limit_cpu_s_per_1000: reading.cpuPerThousand,
    }),
    notes: [`an answer: ours ${ours.answerText}; the limit's ${reading.answerText}`],
    faults: faults.list,
  };
}
