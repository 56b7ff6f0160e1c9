import { describe, expect, it } from '@jest/globals';
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
  it.each(fails)('logs it when the task %s, and goes on', async (_, fail) => {
    const errors: string[] = [];
    const logger = { error: (text: unknown) => errors.push(String(text)) };
    let runs = 0;
    let sut: PeriodicTask | undefined;
    await new Promise<void>((resolve) => {
      const task = (): Promise<void> => {
        runs += 1;
        if (runs === 2) resolve();
        return fail();
      };
      sut = new PeriodicTask(1, task, logger);
      sut.start();
    });
    await sut?.stop();
    expect(errors[0]).toMatch(/^RangeError: defect\n/);
  });
});
