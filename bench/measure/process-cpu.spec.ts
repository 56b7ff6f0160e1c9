import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { cpuSecondsOf, cpuSecondsOfFamily, parentOf } from './process-cpu.js';

const isLinux = process.platform === 'linux';
const NO_PROCESS = 2 ** 30;

describe(cpuSecondsOf.name, () => {
  it('agrees with process.cpuUsage', () => {
    const { user, system } = process.cpuUsage();
    const seconds = cpuSecondsOf(process.pid);
    const expected = (user + system) / 1e6;
    expect(isLinux ? Math.abs((seconds ?? 0) - expected) < 0.1 : seconds === null).toBe(true);
  });

  it('is null for a process that does not exist', () => {
    expect(cpuSecondsOf(NO_PROCESS)).toBeNull();
  });
});

describe(cpuSecondsOfFamily.name, () => {
  it('includes the children of a process', () => {
    const family = cpuSecondsOfFamily(process.ppid);
    const sum = (cpuSecondsOf(process.ppid) ?? 0) + (cpuSecondsOf(process.pid) ?? 0);
    expect(isLinux ? (family ?? 0) >= sum - 0.1 : family === null).toBe(true);
  });

  it('includes children that have ended', () => {
    const before = cpuSecondsOfFamily(process.pid) ?? 0;
    const burning =
      'const end = process.cpuUsage().user + 200_000; while (process.cpuUsage().user < end);';
    spawnSync(process.execPath, ['-e', burning]);
    const used = (cpuSecondsOfFamily(process.pid) ?? 0) - before;
    expect(isLinux ? used >= 0.15 : used === 0).toBe(true);
  });
});

describe(parentOf.name, () => {
  it('is the parent of a process', () => {
    expect(parentOf(process.pid)).toBe(isLinux ? process.ppid : null);
  });
});
