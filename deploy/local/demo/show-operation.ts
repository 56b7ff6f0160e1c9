import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { DemoFile } from '../../../prisma/seed/demo-files.js';
import { LocalStackError } from '../command.js';
import { DemoMismatch } from './demo-mismatch.js';
import type { Narrator } from './narrator.js';
import { fingerprintOf } from './phones.js';
import { phonesOf, type Reader } from './show-message-notifications.js';

const PROGRAM = 'deploy/local/carillon.mjs';
const DEADLINE_MS = 30_000;

/** What of an answer the demonstration looks at. */
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

/** The command line tells what became of the newest notification of somebody. */
export async function showHistory(narrator: Narrator, root: string, reader: Reader): Promise<void> {
  narrator.chapter(
    'What happened to that notification?',
    'An operator asks by user, device, id, or the fingerprint of a token. Neither texts nor tokens are shown.',
  );
  const args = ['push', 'history', '--user', reader.email, '--limit', '1', '--json'];
  const { notifications } = JSON.parse(await output(root, args)) as History;
  const deliveries = notifications[0]?.deliveries ?? [];
  narrator.command(`npx carillon ${args.join(' ')}`, deliveries.flatMap(linesOf));
  for (const phone of phonesOf(reader)) {
    const own = deliveries.find(({ fingerprint }) => fingerprint === fingerprintOf(phone));
    if (own?.state === 'delivered') continue;
    throw new DemoMismatch(`The delivery to ${phone.name} has ended well`, JSON.stringify(own));
  }
  narrator.seen('Both deliveries have ended well.');
}

const linesOf = ({ platform, fingerprint, history, state, ended_at: endedAt }: Delivery) => [
  `${platform}, token ${fingerprint}`,
  ...history.map(({ at, reason }) => `  ${at}  tried: ${reason}`),
  `  ${endedAt ?? '…'}  ${state}`,
];

/** The ops page answers whoever has its token. */
export async function showOpsPage(
  narrator: Narrator,
  { url, token }: DemoFile['ops'],
): Promise<void> {
  narrator.chapter(
    'The ops page',
    'What is wrong and what to do about it, both platforms, queues, credentials, dead letters, live.\n' +
      'A script may ask for the same.',
  );
  const overview = `${url}/api/overview`;
  narrator.request('An operator', ['GET', new URL(overview).pathname], {});
  const response = await fetch(overview, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  // docs/ops-page.md gives this shape.
  const { troubles } = (await response.json()) as { troubles?: readonly unknown[] };
  if (response.status !== 200 || troubles === undefined) {
    throw new DemoMismatch('The ops page answers whoever has its token', `${response.status}`);
  }
  narrator.answer(response.status, { troubles });
  narrator.seen(`Open ${url} in a browser; its token is in demo.json, below "ops".`);
}

/** Runs the command line, and resolves with what it prints. */
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
