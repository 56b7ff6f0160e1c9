import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { PeriodicTask, taskFailureCounts } from './periodic-task.js';

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
    const news: string[] = [];
    const details: string[] = [];
    return {
      errors,
      warnings,
      news,
      details,
      log: (text: unknown) => void news.push(String(text)),
      debug: (text: unknown) => void details.push(String(text)),
      error: (text: unknown) => void errors.push(String(text)),
      warn: (text: unknown) => void warnings.push(String(text)),
    };
  };

  const refused = (text: string) => Object.assign(new Error(text), { code: 'ECONNREFUSED' });

  /** Runs the task once for each failure; null stands for a success. */
  const runThrough = async (results: readonly (Error | null)[], logger: ReturnType<typeof log>) => {
    const left = [...results];
    const sut = new PeriodicTask(
      1,
      async () => {
        const result = left.shift();
        if (result instanceof Error) throw result;
      },
      { failure: 'Not swept', logger },
    );
    sut.start();
    while (left.length > 0) await delay(1);
    await sut.stop();
  };

  it('logs the beginning and the end of an outage, and counts each failure', async () => {
    const logger = log();
    const before = taskFailureCounts().get('Not swept') ?? 0;
    await runThrough([null, refused('a'), refused('b'), refused('c'), null, null], logger);
    expect(logger.warnings).toEqual(['Not swept: a']);
    expect(logger.details).toEqual(['Not swept, still: b', 'Not swept, still: c']);
    expect(logger.news).toEqual(['Recovered. It had failed: Not swept']);
    expect(taskFailureCounts().get('Not swept')).toBe(before + 3);
  });

  it('logs a defect once, also after an outage, and each other defect', async () => {
    const logger = log();
    const [one, other] = [new RangeError('one'), new RangeError('other')];
    await runThrough([refused('a'), one, one, other, null, one, null], logger);
    expect(logger.warnings).toEqual(['Not swept: a']);
    expect(logger.errors.map((text) => text.split('\n')[0])).toEqual([
      'Not swept: RangeError: one',
      'Not swept: RangeError: other',
      'Not swept: RangeError: one',
    ]);
    expect(logger.news).toHaveLength(2);
  });

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
    await runTwice(() => Promise.reject(refused('refused')), logger);
    expect(logger.warnings[0]).toBe('Not done: refused');
    expect(logger.errors).toEqual([]);
  });

  it('logs a failure after the stop for debugging', async () => {
    const logger = log();
    let fail: (error: Error) => void = () => undefined;
    const sut = await new Promise<PeriodicTask>((resolve) => {
      const task = (): Promise<void> =>
        new Promise((_done, reject) => {
          fail = reject;
          resolve(started);
        });
      const started = new PeriodicTask(1, task, { failure: 'Not done', logger });
      started.start();
    });
    const stopped = sut.stop();
    fail(new Error('The pool is closed'));
    await stopped;
    expect(logger.errors).toEqual([]);
    expect(logger.details).toEqual(['Not done, after the stop: The pool is closed']);
  });

  it('waits about a period between two runs', async () => {
    jest.useFakeTimers();
    let runs = 0;
    const sut = new PeriodicTask(1000, async () => void (runs += 1), { failure: 'Not done' });
    sut.start();
    await jest.advanceTimersByTimeAsync(799);
    expect(runs).toBe(0);
    await jest.advanceTimersByTimeAsync(401);
    expect(runs).toBe(1);
    await sut.stop();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(runs).toBe(1);
  });

  it.each([
    ['pauses for longer after a long run', { pausePerRun: 10 }, 7800, 4300],
    ['limits the pause after a slow run', { pausePerRun: 10, maxPauseMs: 3000 }, 2300, 1400],
  ])('%s', async (_name, options, shortestMs, moreMs) => {
    jest.useFakeTimers();
    let runs = 0;
    const task = async () => {
      runs += 1;
      await new Promise((resolve) => setTimeout(resolve, 1000));
    };
    const sut = new PeriodicTask(100, task, { failure: 'Not done', ...options });
    sut.start();
    await jest.advanceTimersByTimeAsync(120 + 1000 + shortestMs);
    expect(runs).toBe(1);
    await jest.advanceTimersByTimeAsync(moreMs);
    expect(runs).toBe(2);
    const stopped = sut.stop();
    await jest.advanceTimersByTimeAsync(1000);
    await stopped;
  });

  it('stops after the current run', async () => {
    let isDone = false;
    let sut: PeriodicTask | undefined;
    await new Promise<void>((resolve) => {
      const task = async () => {
        resolve();
        await delay(20);
        isDone = true;
      };
      sut = new PeriodicTask(1, task, { failure: 'Not done' });
      sut.start();
    });
    await sut?.stop();
    expect(isDone).toBe(true);
  });
});
