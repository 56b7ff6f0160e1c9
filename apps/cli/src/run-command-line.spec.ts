import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { RecordingTerminal } from '#test/recording-terminal';
import { runCommandLine } from './run-command-line.js';

/** Stores that cannot be reached: an invalid command line must fail before it connects. */
const settings = { environment: { DATA_DIR: '/nonexistent' } };

async function run(...args: string[]) {
  const terminal = new RecordingTerminal();
  const exitCode = await runCommandLine(args, terminal, settings);
  return { exitCode, terminal };
}

/** All commands below these words, from the help texts. */
async function commandsBelow(...words: string[]): Promise<string[]> {
  const { terminal } = await run(...words, '--help');
  const [, list] = terminal.output.split('\nCommands:\n');
  if (list === undefined) return [words.join(' ')];
  const [lines = ''] = list.split('\n\n');
  const names = [...lines.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name);
  const below = names.filter((name) => name !== 'help');
  return (await Promise.all(below.map((name) => commandsBelow(...words, name)))).flat();
}

/** The options that docs/command-line.md explains once for all commands. */
const COMMON_OPTIONS = new Set(['--help', '--json', '--organisation']);

describe(runCommandLine.name, () => {
  it('shows examples and --json in the help of each command', async () => {
    const commands = await commandsBelow();
    expect(commands.length).toBeGreaterThan(25);
    for (const command of commands) {
      const { exitCode, terminal } = await run(...command.split(' '), '--help');
      expect(exitCode).toBe(0);
      expect(terminal.output).toContain('--json');
      expect(terminal.output).toMatch(new RegExp(`Examples:\n(.*\n)* {2}carillon ${command}`));
    }
  });

  it('has each command with its options in docs/command-line.md', async () => {
    const page = readFileSync(new URL('../../../docs/command-line.md', import.meta.url), 'utf8');
    const items = page.slice(page.indexOf('## Commands')).split(/\n(?=- |\n)/);
    const missing: string[] = [];
    for (const command of await commandsBelow()) {
      const named = new RegExp(`^- .*\`${command}`);
      const row = items.find((item) => named.test(item)) ?? '';
      const { terminal } = await run(...command.split(' '), '--help');
      const options = [...terminal.output.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)]
        .map(([, option = '']) => option)
        .filter((option) => !COMMON_OPTIONS.has(option));
      const absent = options.filter((option) => !new RegExp(`${option}(?![a-z-])`).test(row));
      if (row === '' || absent.length > 0) missing.push(`${command} ${absent.join(' ')}`);
    }
    expect(missing).toEqual([]);
  });

  it('lists its commands and explains the choice of the stores', async () => {
    const { exitCode, terminal } = await run('--help');
    expect(exitCode).toBe(0);
    for (const word of ['devices', 'push', 'dead-letters', 'DATABASE_URL', 'npm start']) {
      expect(terminal.output).toContain(word);
    }
  });

  it('prints help and exits with 2 for an incomplete command', async () => {
    const { exitCode, terminal } = await run('push');
    expect(exitCode).toBe(2);
    expect(terminal.output).toBe('');
    expect(terminal.remarks).toContain('Usage: carillon push');
  });

  it.each([
    ['an unknown command', ['pusch']],
    ['a missing argument', ['devices', 'list']],
    ['an extra argument', ['push', 'status', 'now']],
    ['an unknown option', ['push', 'status', '--verbose']],
    ['an unknown platform', ['push', 'pause', 'wns']],
    ['an invalid id', ['push', 'test', '42', '--device', 'phone']],
    ['an id above the maximum', ['push', 'history', '--device', '2147483648']],
    ['a limit beyond bounds', ['push', 'history', '--user', '42', '--limit', '101']],
    ['a timeout without a wait', ['push', 'test', '42', '--timeout', '3']],
    ['nothing to look for', ['push', 'history']],
    ['two things to look for', ['push', 'history', '--user', '42', '--device', '7']],
    ['an invalid id of a notification', ['push', 'history', '--id', '42']],
    ['an invalid fingerprint', ['push', 'history', '--fingerprint', 'abc']],
    ['no devices to remove', ['devices', 'remove', '42']],
    ['devices and all', ['devices', 'remove', '42', '7', '--all']],
    ['no letters', ['dead-letters', 'requeue']],
    ['a letter and a reason', ['dead-letters', 'dismiss', 'x/1', '--reason', 'BadTopic']],
    ['an invalid id of a dead letter', ['dead-letters', 'requeue', '17']],
    ['a drop without a yes', ['dead-letters', 'dismiss', '--all']],
    ['a role that there is not', ['user', 'create', 'a@b.org', '-o', '', '-n', 'A', '-r', 'king']],
    ['an account of no organisation', ['user', 'create', 'a@b.org', '-n', 'Ada']],
    ['a setting without a value', ['organisation', 'set', 'acme', 'description']],
    ['an unknown setting', ['organisation', 'set', 'acme', 'color', 'red']],
    ['a bot without an owner', ['bot', 'create', 'a@b.org', '-n', 'Bot']],
  ])('refuses %s as wrong use', async (_, args) => {
    const { exitCode, terminal } = await run(...args);
    expect(exitCode).toBe(2);
    expect(terminal.output).toBe('');
    expect(terminal.remarks).not.toBe('');
  });

  it('reports an invalid command line as JSON', async () => {
    const wrong = await run('push', 'pause', 'wns', '--json');
    expect(JSON.parse(wrong.terminal.remarks)).toEqual({
      error: { code: 'wrong_use', message: expect.stringContaining('Expected apns, fcm, web') },
    });
    const failed = await run('push', 'status', '--json');
    expect(failed.exitCode).toBe(1);
    expect(JSON.parse(failed.terminal.remarks)).toMatchObject({
      error: { code: 'not_configured' },
    });
  });
});
