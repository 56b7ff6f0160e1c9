import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { childEnvironment } from '#platform/config';
import { LocalStackError } from './command.js';
import { Lifetime } from './lifetime.js';
import { lockDataFolder } from './other-processes.js';
import { OwnProcess } from './own-process.js';

describe(lockDataFolder.name, () => {
  let folder: string;
  let lifetime: Lifetime;
  const lockFile = () => path.join(folder, 'launcher.pid');

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'carillon-lock-'));
    lifetime = new Lifetime();
  });

  afterEach(async () => {
    await lifetime.end();
    rmSync(folder, { recursive: true });
  });

  it('holds the lock until the end', async () => {
    lockDataFolder(folder, lifetime);
    expect(existsSync(lockFile())).toBe(true);
    await lifetime.end();
    expect(existsSync(lockFile())).toBe(false);
  });

  it('rejects a folder that another launcher has locked', () => {
    const launcher = runningNode('bootstrap.mjs');
    writeFileSync(lockFile(), String(launcher.pid));
    expect(() => lockDataFolder(folder, lifetime)).toThrow(LocalStackError);
  });

  it('takes over the lock of a launcher that has ended', async () => {
    const launcher = runningNode('bootstrap.mjs');
    launcher.kill();
    await launcher.ended;
    writeFileSync(lockFile(), String(launcher.pid));
    expect(() => lockDataFolder(folder, lifetime)).not.toThrow();
  });

  it('takes over the lock when another program has the process id', () => {
    writeFileSync(lockFile(), String(runningNode('something-else').pid));
    expect(() => lockDataFolder(folder, lifetime)).not.toThrow();
  });
});

/** A process with this word in its command line; the lifetime of the test ends it. */
function runningNode(word: string): OwnProcess {
  return new OwnProcess({
    command: process.execPath,
    args: ['-e', 'setInterval(() => {}, 1000)', word],
    cwd: '/',
    env: childEnvironment({}),
    stdio: 'ignore',
    stopSignal: 'SIGTERM',
    graceMs: 1000,
  });
}
