/**
 * The server process: answers every request with the same answer, as if from memory. Sends its port to the parent, and
 * on request its CPU usage in microseconds.
 */
import type { PresenceAnswer } from '#platform/contracts';
import { transports } from './transports.js';

const [title, answerBytes, isCompressed] = process.argv.slice(2);
const transport = transports.find((one) => one.title === title);
if (!transport) throw new Error(`There is no transport "${title}"`);

const text = 'x'.repeat(Number(answerBytes));
const answer: PresenceAnswer =
  isCompressed === 'true' ? { encoding: 'gzip', body: Buffer.from(text) } : text;
const port = await transport.serve(async () => answer);

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuUs: user + system });
});
process.on('disconnect', () => process.exit());
process.send?.({ port });
