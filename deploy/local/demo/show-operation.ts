import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { DemoFile } from '../../../prisma/seed/demo-files.js';
import { LocalStackError } from '../command.js';
import { DemoMismatch, type DemoPrinter } from './demo-printer.js';
import { fingerprintOf } from './phones.js';
import { phonesOf, type Reader } from './show-message-notifications.js';

const PROGRAM = 'deploy/local/carillon.mjs';
const DEADLINE_MS = 30_000;

/** The used members of a response. */
interface History {
  readonly notifications: readonly {
    readonly deliveries: readonly {
      readonly platform: string;
      readonly fingerprint: string;
      readonly state: string;
      readonly ended_at: string | null;
      readonly history: readonly { readonly at: string; readonly reason: string }[];
    }[];
  }[];
}

type Delivery = History['notifications'][number]['deliveries'][number];

/** The command line shows the history of the newest notification of a user. */
export async function showHistory(
  printer: DemoPrinter,
  root: string,
  reader: Reader,
): Promise<void> {
  printer.section(
    'What happened to that notification?',
    'An operator searches by user, device, id, or the fingerprint of a token. Neither texts nor tokens are shown.',
  );
  const args = ['push', 'history', '--user', reader.email, '--limit', '1', '--json'];
  const { notifications } = JSON.parse(await output(root, args)) as History;
  const deliveries = notifications[0]?.deliveries ?? [];
  printer.command(`npx carillon ${args.join(' ')}`, deliveries.flatMap(linesOf));
  for (const phone of phonesOf(reader)) {
    const own = deliveries.find(({ fingerprint }) => fingerprint === fingerprintOf(phone));
    if (own?.state === 'delivered') continue;
    throw new DemoMismatch(`The delivery to ${phone.name} has ended well`, JSON.stringify(own));
  }
  printer.seen('Both deliveries were successful.');
}

const linesOf = ({ platform, fingerprint, history, state, ended_at: endedAt }: Delivery) => [
  `${platform}, token ${fingerprint}`,
  ...history.map(({ at, reason }) => `  ${at}  tried: ${reason}`),
  `  ${endedAt ?? '…'}  ${state}`,
];

/** The ops page answers requests with its token. */
export async function showOpsPage(
  printer: DemoPrinter,
  { url, token }: DemoFile['ops'],
): Promise<void> {
  printer.section(
    'The ops page',
    'It shows alerts with advice, both platforms, queues, credentials and dead letters, and updates itself.\n' +
      'Scripts can request the same data.',
  );
  const overview = `${url}/api/overview`;
  printer.request('An operator', ['GET', new URL(overview).pathname], {});
  const response = await fetch(overview, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  // docs/ops-page.md gives this shape.
  const { alerts } = (await response.json()) as { alerts?: readonly unknown[] };
  if (response.status !== 200 || alerts === undefined) {
    throw new DemoMismatch('The ops page answers a request with its token', `${response.status}`);
  }
  printer.answer(response.status, { alerts });
  printer.seen(`Open ${url} in a browser; its token is in demo.json, below "ops".`);
}

/** Runs the command line, and resolves with its output. */
async function output(root: string, args: readonly string[]): Promise<string> {
  try {
    const run = promisify(execFile);
    const options = { cwd: root, timeout: DEADLINE_MS };
    return (await run(process.execPath, [PROGRAM, ...args], options)).stdout;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new LocalStackError(`The command line could not be asked.\n${why}`);
  }
}
