import { openBareSender } from '../limits/bare-sender.js';
import { answerFanOut } from './answer-fan-out.js';

answerFanOut(async ({ access, sample }) => {
  if (sample === null) throw new Error('There is nothing to send.');
  const client = await openBareSender(access, sample);
  return (token) => client.send(token);
});
