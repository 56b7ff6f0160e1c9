import { BareApns } from '../limits/bare-apns.js';
import { answerFanOut } from './answer-fan-out.js';

answerFanOut(async ({ apns, sample }) => {
  if (sample === null) throw new Error('There is nothing to send.');
  const client = await BareApns.open(apns, sample);
  return (token) => client.send(token);
});
