import { answerParent } from '../processes/answer-parent.js';
import { HttpPolls } from './http-polls.js';
import type { Reach } from './poll-carrier.js';
import { SteadyCrowd, type SteadyCrowdPlan } from './steady-crowd.js';
import type { SteadyQuestion } from './steady-load.js';
import { openWire } from './wire-polls.js';

/** A crowd, and the function that signs in its users. */
interface Gathered {
  readonly crowd: SteadyCrowd;
  readonly signIn: () => Promise<void>;
}

let gathered: Gathered | undefined;

function gather({ over, port }: Reach, plan: SteadyCrowdPlan): Gathered {
  if (over === 'wire') {
    return { crowd: new SteadyCrowd(plan, async () => openWire(port)), signIn: async () => {} };
  }
  const polls = new HttpPolls(port, plan.users);
  return {
    crowd: new SteadyCrowd(plan, (connections) => polls.open(connections)),
    signIn: () => polls.signIn(),
  };
}

answerParent(async (question: SteadyQuestion) => {
  if (question.ask === 'gather') {
    gathered = gather(question.reach, question.plan);
    return null;
  }
  if (gathered === undefined) throw new Error('The first question must be "gather".');
  const { crowd, signIn } = gathered;
  switch (question.ask) {
    case 'signIn':
      return signIn();
    case 'keepOnline':
      // Runs concurrently with the next questions. A failure ends the process, and the scenario with it.
      void crowd.pollInTurn('nothing', () => false);
      return null;
    case 'poll':
      return crowd.poll(question.connections, question.extent);
    case 'pollAtPace':
      return crowd.pollAtPace(question.perSecond, question.seconds);
    case 'pollInTurn': {
      const endsAt = performance.now() + question.seconds * 1000;
      return crowd.pollInTurn(question.asked, () => performance.now() >= endsAt);
    }
  }
});
