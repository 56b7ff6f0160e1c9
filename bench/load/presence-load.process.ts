import { answerParent } from '../processes/answer-parent.js';
import { PresenceCrowd } from './presence-crowd.js';
import type { PresenceQuestion } from './presence-load.js';

let crowd: PresenceCrowd | undefined;

answerParent(async (question: PresenceQuestion) => {
  if (question.ask === 'gather') {
    crowd = new PresenceCrowd(question.plan);
    return null;
  }
  if (crowd === undefined) throw new Error('The first question must be "gather".');
  switch (question.ask) {
    case 'signIn':
      return crowd.signIn();
    case 'prime':
      return crowd.prime();
    case 'poll':
      return crowd.poll(question.connections, question.extent);
    case 'countSkippedChanges':
      return crowd.countSkippedChanges();
  }
});
