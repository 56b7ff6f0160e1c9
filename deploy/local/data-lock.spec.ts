import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LocalStackError } from './command.js';
import { lockDataFolder } from './data-lock.js';
import { Lifetime } from './lifetime.js';
import { childEnvironment } from '#config';
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

  it('holds the folder until the end', async () => {
    lockDataFolder(folder, lifetime);
    expect(existsSync(lockFile())).toBe(true);
    await lifetime.end();
    expect(existsSync(lockFile())).toBe(false);
  });

  it('refuses a folder that another launcher has', () => {
    const launcher = runningNode('bootstrap.mjs');
    writeFileSync(lockFile(), String(launcher.pid));
    expect(() => lockDataFolder(folder, lifetime)).toThrow(LocalStackError);
  });

  it('takes over from a launcher that is gone', async () => {
    const launcher = runningNode('bootstrap.mjs');
    launcher.kill();
    await launcher.ended;
    writeFileSync(lockFile(), String(launcher.pid));
    expect(() => lockDataFolder(folder, lifetime)).not.toThrow();
  });

  it('takes over when the id now belongs to another program', () => {
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
