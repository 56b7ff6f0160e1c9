import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { childEnvironment } from '#config';
import { isAlive } from './other-processes.js';
import { OwnProcess } from './own-process.js';
import { waitUntil } from './wait-until.js';

/** Starts a program of a few lines, which prints something when it is up. */
async function startedWith(
  script: string,
  graceMs = 10_000,
): Promise<{ sut: OwnProcess; printed: string }> {
  const sut = new OwnProcess({
    command: process.execPath,
    args: ['-e', `${script}; setInterval(() => {}, 1000)`],
    cwd: '/',
    env: childEnvironment({}),
    stdio: ['ignore', 'pipe', 'inherit'],
    stopSignal: 'SIGTERM',
    graceMs,
  });
  const [printed] = sut.child.stdout ? await once(sut.child.stdout, 'data') : [''];
  return { sut, printed: String(printed) };
}

describe(OwnProcess.name, () => {
  afterEach(() => OwnProcess.killAll());

  it('lets a program end in good order', async () => {
    const { sut } = await startedWith(
      `process.on('SIGTERM', () => process.exit(7)); console.log('up')`,
    );
    await sut.stop();
    expect(await sut.ended).toBe('code 7');
    expect(sut.isRunning).toBe(false);
  });

  it('kills one that does not end within its grace', async () => {
    const { sut } = await startedWith(`process.on('SIGTERM', () => {}); console.log('up')`, 20);
    await sut.stop();
    expect(await sut.ended).toBe('SIGKILL');
  });

  it('kills what the program has started, too', async () => {
    const { sut, printed } = await startedWith(
      `const { spawn } = require('node:child_process');
       console.log(spawn('sleep', ['600'], { stdio: 'ignore' }).pid)`,
    );
    sut.kill();
    await waitUntil('its child is gone', async () => !isAlive(Number(printed)), 5000);
    expect(await sut.ended).toBe('SIGKILL');
  });

  it('says why a program could not be started', async () => {
    const sut = new OwnProcess({
      command: '/nowhere/program',
      args: [],
      cwd: '/',
      env: {},
      stdio: 'ignore',
      stopSignal: 'SIGTERM',
      graceMs: 1000,
    });
    expect(await sut.ended).toContain('ENOENT');
  });

  it('has nothing to stop once the program has ended', async () => {
    const { sut } = await startedWith(`console.log('up')`);
    await sut.stop();
    await sut.stop();
    expect(await sut.ended).toBe('SIGTERM');
  });
});
