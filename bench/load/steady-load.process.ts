import { answerParent } from '../processes/answer-parent.js';
import { SteadyCrowd } from './steady-crowd.js';
import type { SteadyQuestion } from './steady-load.js';

let crowd: SteadyCrowd | undefined;

answerParent(async (question: SteadyQuestion) => {
  if (question.ask === 'gather') {
    crowd = new SteadyCrowd(question.plan);
    return null;
  }
  if (crowd === undefined) throw new Error('No crowd was gathered.');
  switch (question.ask) {
    case 'signIn':
      return crowd.signIn();
    case 'keepOnline':
      // Goes on beside what is asked next. Should it fail, the process ends, and with it the scenario.
      void crowd.pollInTurn('nothing', () => false);
      return null;
    case 'poll':
      return crowd.poll(question.connections, question.extent);
    case 'pollInTurn': {
      const endsAt = performance.now() + question.seconds * 1000;
      return crowd.pollInTurn(question.asked, () => performance.now() >= endsAt);
    }
  }
});
