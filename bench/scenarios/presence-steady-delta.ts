import type { Finding } from '../results.js';
import { Faults } from './faults.js';
import { ourClocks } from './our-clocks.js';
import { startRedisReadingStack } from './redis-reading-stack.js';
import type { Bench, Scenario } from './scenario.js';
import { compareSteadily } from './steady-rivals.js';
import { SteadySide } from './steady-side.js';
import { openSteadyWorld, type SteadyPlan } from './steady-world.js';

/** The time for a second gateway and another sign-in of all users. */
const PREPARATION_MS = 8000;

/**
 * Organisations with all users online: every entry is refreshed once a minute, so that each answer has all users.
 * Each report comes just when the last one is old enough, and cursors are slightly older.
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

/** A report and all changes of a minute, as a client requests them: the gateway of Carillon serves both designs. */
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
    // The share of the gateway in a request limits this figure, so it has no target.
    const figure = { name: plan.name, unit: 'req/s', target: null, ofRound: rateOfRound };
    return await compareSteadily(bench, figure, {
      ours: new SteadySide('ours', ourLoad, faults, ourClocks(bench)),
      reading: new SteadySide('limit', limitLoad, faults, stack.clocks),
      faults,
    });
  } finally {
    await Promise.all([limitLoad.stop(), ourLoad.stop()]);
    await stack.stop();
  }
}

const rateOfRound = (side: SteadySide): Promise<number> => side.rateOfRound();
