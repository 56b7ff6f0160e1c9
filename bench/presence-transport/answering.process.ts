/**
 * The far end, a process of its own: answers every request with the same, as though it came from
 * memory. Tells the parent its port, and on demand the CPU it has used, in microseconds.
 */
import type { PresenceAnswer } from '#contracts';
import { transports } from './transports.js';

const [title, answerBytes, isCompressed, nestFolder] = process.argv.slice(2);
const transport = transports(nestFolder).find((one) => one.title === title);
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
