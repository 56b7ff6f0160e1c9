import { describe, expect, it } from '@jest/globals';

const { default: WorkerEnvironment } = await import(
  new URL('environment.mjs', import.meta.url).href
);

describe('WorkerEnvironment', () => {
  it('puts back what a file has changed in the process', async () => {
    const home = process.env['HOME'];
    const sut = new WorkerEnvironment({ projectConfig: { fakeTimers: {} } });
    const onHangUp = () => undefined;
    process.env['HOME'] = '/changed';
    process.env['CARILLON_ADDED'] = 'yes';
    process.on('SIGHUP', onHangUp);
    process.exitCode = 3;
    await sut.teardown();
    expect(process.env['HOME']).toBe(home);
    expect(process.env['CARILLON_ADDED']).toBeUndefined();
    expect(process.listeners('SIGHUP')).not.toContain(onHangUp);
    expect(process.exitCode).toBeUndefined();
  });

  it('ends fake timers', async () => {
    const sut = new WorkerEnvironment({ projectConfig: { fakeTimers: {} } });
    const { setTimeout } = globalThis;
    sut.fakeTimersModern.useFakeTimers();
    expect(globalThis.setTimeout).not.toBe(setTimeout);
    await sut.teardown();
    expect(globalThis.setTimeout).toBe(setTimeout);
  });
});
