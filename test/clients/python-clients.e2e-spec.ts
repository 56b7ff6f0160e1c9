import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { env } from 'node:process';
import { promisify } from 'node:util';
import { childEnvironment } from '#platform/config';
import { eventually } from '#test/eventually';
import { startSystem, type System } from '#test/start-system';

/** Checkouts of the clients, and the Python that has the packages that they need: docs/testing.md. */
const library = env['PYTHON_ZULIP_API_DIR'];
const terminal = env['ZULIP_TERMINAL_DIR'];
const python = env['CLIENTS_PYTHON'] ?? 'python3';

const DEADLINE_MS = 300_000;
const BOT_DEADLINE_MS = 60_000;

const withLibrary = library === undefined ? describe.skip : describe;
const withTerminal = library === undefined || terminal === undefined ? describe.skip : describe;

let system: System;
let folder: string;
let demoFile: string;

async function start(): Promise<void> {
  const limit = '60:100000';
  system = await startSystem({
    environment: {
      RATE_LIMIT_USER: limit,
      RATE_LIMIT_ADDRESS: limit,
      RATE_LIMIT_EVENT_QUEUE: limit,
    },
  });
  folder = await mkdtemp(path.join(tmpdir(), 'carillon-clients-'));
  demoFile = path.join(folder, 'demo.json');
  await writeFile(demoFile, JSON.stringify(system.demo));
}

async function stop(): Promise<void> {
  await system?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}

const pythonEnvironment = () =>
  childEnvironment({
    PYTHONPATH: [`${library}/zulip`, `${library}/zulip_bots`, terminal].join(path.delimiter),
  });

/** Runs Python; rejects with its output if it fails. */
async function runPython(...args: readonly string[]) {
  const options = { env: pythonEnvironment(), timeout: DEADLINE_MS };
  try {
    return await promisify(execFile)(python, args, options);
  } catch (failure) {
    const { stdout, stderr } = Object(failure);
    throw new Error(`${stdout}\n${stderr}`, { cause: failure });
  }
}

/** Writes the configuration file of an account; resolves with its path. */
async function configurationOf(name: string): Promise<string> {
  const { email, api_key: key } = system.user(name);
  const file = path.join(folder, `${name}.zuliprc`);
  const text = `[api]\nemail=${email}\nkey=${key}\nsite=${system.gatewayUrl}\n`;
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

withLibrary('python-zulip-api (skipped unless PYTHON_ZULIP_API_DIR is a checkout)', () => {
  beforeAll(start);
  afterAll(stop);

  it(
    'gets the expected answer from every method of its client',
    async () => {
      const { stdout } = await runPython('test/clients/python-library.py', demoFile);
      expect(stdout).toMatch(/methods called/);
    },
    DEADLINE_MS,
  );

  it(
    'answers as a bot to a message of its command line',
    async () => {
      const [sender, bot] = [await configurationOf('alice'), await configurationOf('alice_bot')];
      const args = ['-m', 'zulip_bots.run', 'helloworld', '--config-file', bot];
      const program: ChildProcess = spawn(python, args, {
        env: pythonEnvironment(),
        stdio: 'ignore',
      });
      try {
        const to = system.user('alice_bot').email;
        await eventually(async () => {
          // A message that comes before the bot has its queue is not answered.
          await runPython('-m', 'zulip.send', '--config-file', sender, to, '-m', 'hello');
          const newest = { anchor: 'newest', num_before: 4, num_after: 0 };
          const { body } = await system.api('alice').get('/messages', newest);
          expect(body['messages']).toContainEqual(
            expect.objectContaining({ sender_email: to, content: '<p>beep boop</p>' }),
          );
        }, BOT_DEADLINE_MS);
      } finally {
        program.kill();
      }
    },
    DEADLINE_MS,
  );
});

withTerminal('zulip-terminal (skipped unless ZULIP_TERMINAL_DIR is a checkout too)', () => {
  beforeAll(start);
  afterAll(stop);

  it(
    'shows, sends and changes messages',
    async () => {
      const { stdout } = await runPython('test/clients/zulip-terminal.py', demoFile, folder);
      expect(stdout).toContain('The session is complete.');
    },
    DEADLINE_MS,
  );
});
