/**
 * Compares ways to carry requests from a gateway to the presence program; the figures are in
 * docs/decisions/0003-presence-transport.md.
 *
 *   node dist/bench/presence-transport/main.js
 */
import type { PresenceRequest } from '#platform/contracts';
import { type AnswerForm, measureTransport, type TransportFigures } from './measure-transport.js';
import { transports } from './transports.js';

const ROUNDS = 7;
/** The answers to polls: few entries as text, many entries as a shared compressed body. */
const answers: readonly (AnswerForm & { readonly entries: number })[] = [
  { entries: 5, bytes: 422, isCompressed: false },
  { entries: 100, bytes: 6600, isCompressed: false },
  { entries: 1000, bytes: 4400, isCompressed: true },
  { entries: 10_000, bytes: 43_000, isCompressed: true },
];

const request: PresenceRequest = {
  realmId: 1,
  userId: 10,
  joinedAt: 1_700_000_000,
  status: 'active',
  reportedAt: 1_800_000_000,
  isVisible: true,
  isGuest: false,
  isRealmPresenceDisabled: false,
  pingOnly: false,
  lastUpdateId: 1_800_000_000_123_456,
  historyLimitDays: null,
  format: 'modern',
  encoding: 'gzip',
};

for (const { entries, ...answer } of answers) {
  const form = `${answer.bytes} bytes${answer.isCompressed ? ', compressed' : ''}`;
  console.log(
    `\nAnswers of ${entries} entries in ${form}; 32 requests in flight, median of ${ROUNDS} rounds\n`,
  );
  console.log('| transport | requests/s | p50 / p99 ms | CPU front + back, µs per request |');
  console.log('|---|---|---|---|');
  const runs = new Map<string, TransportFigures[]>(transports.map(({ title }) => [title, []]));
  // In rounds, so that other load of the machine affects all transports equally.
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const transport of transports) {
      const load = { request, answer, concurrency: 32, warmUpMs: 1000, durationMs: 1500 };
      runs.get(transport.title)?.push(await measureTransport(transport, load));
    }
  }
  for (const [title, figures] of runs) console.log(rowOf(title, figures));
}

function rowOf(title: string, runs: readonly TransportFigures[]): string {
  const inOrder = runs.toSorted((a, b) => a.requestsPerSecond - b.requestsPerSecond);
  const figures = inOrder[Math.floor(inOrder.length / 2)];
  if (!figures) throw new Error('Nothing was measured');
  const { requestsPerSecond, p50Ms, p99Ms, frontCpuUs, backCpuUs } = figures;
  const cpu = `${frontCpuUs.toFixed(0)} + ${backCpuUs.toFixed(0)} = ${(frontCpuUs + backCpuUs).toFixed(0)}`;
  return `| ${title} | ${requestsPerSecond.toFixed(0)} | ${p50Ms.toFixed(1)} / ${p99Ms.toFixed(1)} | ${cpu} |`;
}
