import { answerParent } from '../processes/answer-parent.js';
import { PushCrowd } from './push-crowd.js';
import type { PushQuestion } from './push-load.js';

let crowd: PushCrowd | undefined;

answerParent(async (question: PushQuestion) => {
  if (question.ask === 'gather') {
    crowd = new PushCrowd(question.plan);
    return null;
  }
  if (crowd === undefined) throw new Error('The first question must be "gather".');
  if (question.ask === 'register') return crowd.register(question.tokens);
  const { connections, notifications } = question;
  return question.ask === 'send'
    ? crowd.send(connections, notifications)
    : crowd.ask(connections, notifications);
});
