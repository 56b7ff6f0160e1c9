import { answerParent } from '../processes/answer-parent.js';
import { EventCrowd } from './event-crowd.js';
import type { EventQuestion } from './event-load.js';

let gathered: EventCrowd | undefined;

answerParent(async (question: EventQuestion) => {
  if (question.ask === 'gather') {
    gathered = await EventCrowd.gather(question.plan);
    return null;
  }
  if (gathered === undefined) throw new Error('The first question must be "gather".');
  return question.ask === 'rounds'
    ? gathered.rounds(question.count)
    : gathered.register(question.count);
});
