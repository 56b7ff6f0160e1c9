import { serveCrowd } from '../processes/answer-parent.js';
import { HttpPolls } from './http-polls.js';
import type { Reach } from './poll-carrier.js';
import { type Asked, SteadyCrowd, type SteadyCrowdPlan } from './steady-crowd.js';
import type { Extent } from './tally.js';
import { openWire } from './wire-polls.js';

export type ReachingCrowd = ReturnType<typeof gather>;

interface Given {
  readonly reach: Reach;
  readonly plan: SteadyCrowdPlan;
}

function gather({ reach: { over, port }, plan }: Given) {
  const polls = over === 'http' ? new HttpPolls(port, plan.users) : null;
  const crowd = new SteadyCrowd(plan, async (connections) =>
    polls === null ? openWire(port) : polls.open(connections),
  );
  return {
    /** Must precede polls over HTTP, so that no poll waits for PostgreSQL. */
    signIn: async () => polls?.signIn(),
    /** From now on all users report in turn and request no entries, concurrently with other polls. */
    keepOnline: () => {
      // A failure ends the process, and the scenario with it.
      void crowd.pollInTurn('nothing', () => false);
    },
    poll: (connections: number, extent: Extent) => crowd.poll(connections, extent),
    pollAtPace: (perSecond: number, seconds: number) => crowd.pollAtPace(perSecond, seconds),
    pollInTurn: (asked: Asked, seconds: number) => {
      const endsAt = performance.now() + seconds * 1000;
      return crowd.pollInTurn(asked, () => performance.now() >= endsAt);
    },
  };
}

serveCrowd(gather);
