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
  switch (question.ask) {
    case 'rounds':
      return gathered.rounds(question.count);
    case 'stream':
      return gathered.stream(question.count);
    case 'hold':
      return gathered.hold();
    case 'messages':
      return gathered.messages(question.messages);
    case 'register':
      return gathered.register(question.count, question.connections);
  }
});
