import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { env } from 'node:process';
import { childEnvironment } from '#platform/config';
import type { ApiClient } from '#test/api-client';
import { eventually } from '#test/eventually';
import { startGateway } from '#test/start-gateway';
import type { System } from '#test/start-system';

/** A checkout of the backend, a checkout or an installation of the Python library, and a Python with errbot: docs/testing.md. */
const backend = env['ERRBOT_BACKEND_DIR'];
const library = env['PYTHON_ZULIP_API_DIR'];
const environment = childEnvironment(
  library === undefined ? {} : { PYTHONPATH: `${library}/zulip` },
);
const python = [env['CLIENTS_PYTHON'] ?? 'python3', '/usr/bin/python3'].find(
  (command) =>
    spawnSync(command, ['-c', 'import errbot, zulip'], { stdio: 'ignore', env: environment })
      .status === 0,
);

const withErrbot = backend === undefined || python === undefined ? describe.skip : describe;

const DEADLINE_MS = 180_000;
const ANSWER_MS = 60_000;
/** A message that comes before the bot has its queue is not answered. */
const READY_MS = 5000;

let system: System;
let folder: string;
let bot: ChildProcess;
let alice: ApiClient;
let botEmail: string;

beforeAll(async () => {
  if (backend === undefined || python === undefined) return;
  system = await startGateway({});
  alice = system.api('alice');
  botEmail = system.user('alice_bot').email;
  folder = await mkdtemp(path.join(tmpdir(), 'carillon-errbot-'));
  await mkdir(path.join(folder, 'plugins'));
  await copyFile('test/clients/errbot-plugin.py', path.join(folder, 'plugins', 'extras.py'));
  await writeFile(
    path.join(folder, 'plugins', 'extras.plug'),
    '[Core]\nName = Extras\nModule = extras\n\n[Python]\nVersion = 3\n',
  );
  const file = path.join(folder, 'config.py');
  await writeFile(file, configuration(), { mode: 0o600 });
  const main = 'from errbot.cli import main; main()';
  bot = spawn(python, ['-c', main, '-c', file], { env: environment, cwd: folder, stdio: 'ignore' });
});

afterAll(async () => {
  bot?.kill('SIGKILL');
  await system?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** The configuration file of errbot, in Python. */
function configuration(): string {
  const identity = {
    email: botEmail,
    key: system.user('alice_bot').api_key,
    site: system.gatewayUrl,
  };
  return [
    "BACKEND = 'Zulip'",
    `BOT_EXTRA_BACKEND_DIR = ${JSON.stringify(backend)}`,
    `BOT_DATA_DIR = ${JSON.stringify(folder)}`,
    `BOT_EXTRA_PLUGIN_DIR = ${JSON.stringify(path.join(folder, 'plugins'))}`,
    'BOT_LOG_FILE = None',
    'BOT_LOG_LEVEL = 30',
    `BOT_IDENTITY = ${JSON.stringify(identity)}`,
    `BOT_ADMINS = (${JSON.stringify(system.user('alice').email)},)`,
    'CHATROOM_PRESENCE = ()',
    "BOT_PREFIX = '!'",
    '',
  ].join('\n');
}

/** What the bot has written after a message, the first one first. */
async function answersAfter(id: number) {
  const { body } = await alice.get('/messages', {
    anchor: id,
    num_before: 0,
    num_after: 20,
    include_anchor: false,
    apply_markdown: false,
  });
  return (body['messages'] as Record<string, unknown>[])
    .filter(({ sender_email: sender }) => sender === botEmail)
    .map(({ type, subject, content }) => ({ type, subject, content }));
}

/** Sends a command to the bot; resolves once the bot has answered as expected. */
async function ask(
  destination: object,
  command: string,
  answers: readonly object[],
  deadlineMs = ANSWER_MS,
) {
  const { body } = await alice.post('/messages', { ...destination, content: command });
  await eventually(async () => {
    expect(await answersAfter(Number(body['id']))).toMatchObject(answers);
  }, deadlineMs);
}

const direct = () => ({ type: 'private', to: JSON.stringify([botEmail]) });
const text = (content: unknown) => ({ type: 'private', content });

withErrbot(
  'errbot (skipped without its package, or unless ERRBOT_BACKEND_DIR is a checkout)',
  () => {
    it(
      'answers in conversations and channels',
      async () => {
        const isReady = () => ask(direct(), '!echo ready', [text('ready')], READY_MS);
        await eventually(isReady, DEADLINE_MS);
        await ask(direct(), '!room join general', [text('Joined the room general.')]);
        const topic = { type: 'stream', subject: 'bots & birds', content: 'hello' };
        await ask({ type: 'stream', to: 'general', topic: 'bots & birds' }, '!echo hello', [topic]);
        const noTopic = { type: 'stream', subject: 'general chat', content: 'hello' };
        await ask({ type: 'stream', to: 'general', topic: '' }, '!echo hello', [noTopic]);
        await ask(direct(), '!room list', [text(expect.stringContaining('general'))]);
        await ask(direct(), '!room leave general', [text('Left the room general.')]);
      },
      DEADLINE_MS,
    );

    it('sends long answers in parts, and files', async () => {
      await ask(direct(), '!long', [text('x'.repeat(10_000)), text('x'.repeat(2000))]);
      const link = expect.stringMatching(/^\[soup\.txt\]\(\/user_uploads\/\S+\/soup\.txt\)$/);
      await ask(direct(), '!file', [text(link)]);
    });
  },
);
