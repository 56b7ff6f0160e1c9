import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { PeriodicTask } from './periodic-task.js';

const fails: readonly (readonly [string, () => Promise<void>])[] = [
  ['rejects', () => Promise.reject(new RangeError('defect'))],
  [
    'throws',
    () => {
      throw new RangeError('defect');
    },
  ],
];

describe(PeriodicTask.name, () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  const log = () => {
    const errors: string[] = [];
    const warnings: string[] = [];
    return {
      errors,
      warnings,
      error: (text: unknown) => void errors.push(String(text)),
      warn: (text: unknown) => void warnings.push(String(text)),
    };
  };

  /** Resolves when the task has run twice. */
  const runTwice = async (task: () => Promise<void>, logger: ReturnType<typeof log>) => {
    let runs = 0;
    let sut: PeriodicTask | undefined;
    await new Promise<void>((resolve) => {
      const counted = (): Promise<void> => {
        runs += 1;
        if (runs === 2) resolve();
        return task();
      };
      sut = new PeriodicTask(1, counted, { failure: 'Not done', logger });
      sut.start();
    });
    await sut?.stop();
  };

  it.each(fails)('logs and continues when the task %s', async (_, fail) => {
    const logger = log();
    await runTwice(fail, logger);
    expect(logger.errors[0]).toMatch(/^Not done: RangeError: defect\n/);
    expect(logger.warnings).toEqual([]);
  });

  it('logs a warning without a stack during an outage of a store', async () => {
    const logger = log();
    const outage = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    await runTwice(() => Promise.reject(outage), logger);
    expect(logger.warnings[0]).toBe('Not done: refused');
    expect(logger.errors).toEqual([]);
  });

  it('waits about a period between two runs', async () => {
    jest.useFakeTimers();
    let runs = 0;
    const sut = new PeriodicTask(1000, async () => void (runs += 1));
    sut.start();
    await jest.advanceTimersByTimeAsync(799);
    expect(runs).toBe(0);
    await jest.advanceTimersByTimeAsync(401);
    expect(runs).toBe(1);
    await sut.stop();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(runs).toBe(1);
  });

  it('pauses for longer after a long run', async () => {
    jest.useFakeTimers();
    let runs = 0;
    const task = async () => {
      runs += 1;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    };
    const sut = new PeriodicTask(100, task, { pausePerRun: 10 });
    sut.start();
    await jest.advanceTimersByTimeAsync(120 + 1000 + 7800);
    expect(runs).toBe(1);
    await jest.advanceTimersByTimeAsync(4300);
    expect(runs).toBe(2);
    const stopped = sut.stop();
    await jest.advanceTimersByTimeAsync(1000);
    await stopped;
  });

  it('stops after the current run', async () => {
    let isDone = false;
    let sut: PeriodicTask | undefined;
    await new Promise<void>((resolve) => {
      sut = new PeriodicTask(1, async () => {
        resolve();
        await delay(20);
        isDone = true;
      });
      sut.start();
    });
    await sut?.stop();
    expect(isDone).toBe(true);
  });
});
