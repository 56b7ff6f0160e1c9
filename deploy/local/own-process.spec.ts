import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { childEnvironment } from '#platform/config';
import { isAlive } from './other-processes.js';
import { OwnProcess } from './own-process.js';
import { waitUntil } from './wait-until.js';

/** Starts a small program that prints a line when it is ready. */
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

  it('stops a program gracefully', async () => {
    const { sut } = await startedWith(
      `process.on('SIGTERM', () => process.exit(7)); console.log('up')`,
    );
    await sut.stop();
    expect(await sut.ended).toBe('code 7');
    expect(sut.isRunning).toBe(false);
  });

  it('kills a program that does not end in time', async () => {
    const { sut } = await startedWith(`process.on('SIGTERM', () => {}); console.log('up')`, 20);
    await sut.stop();
    expect(await sut.ended).toBe('SIGKILL');
  });

  it('kills the children of the program', async () => {
    const { sut, printed } = await startedWith(
      `const { spawn } = require('node:child_process');
       console.log(spawn('sleep', ['600'], { stdio: 'ignore' }).pid)`,
    );
    sut.kill();
    await waitUntil('its child is gone', async () => !isAlive(Number(printed)), 5000);
    expect(await sut.ended).toBe('SIGKILL');
  });

  it('reports why a program could not start', async () => {
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

  it('does nothing when the program has already ended', async () => {
    const { sut } = await startedWith(`console.log('up')`);
    await sut.stop();
    await sut.stop();
    expect(await sut.ended).toBe('SIGTERM');
  });
});
