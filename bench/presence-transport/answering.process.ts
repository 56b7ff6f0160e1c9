/**
 * The far end, a process of its own: answers every request with the same text, as though it came from
 * memory. Tells the parent its port, and on demand the CPU it has used, in microseconds.
 */
import { transports } from './transports.js';

const [title, answerBytes, nestFolder] = process.argv.slice(2);
const transport = transports(nestFolder).find((one) => one.title === title);
if (!transport) throw new Error(`There is no transport "${title}"`);

const text = 'x'.repeat(Number(answerBytes));
const port = await transport.serve(async () => text);

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuUs: user + system });
});
process.on('disconnect', () => process.exit());
process.send?.({ port });
