import { describe, expect, it } from '@jest/globals';
import { LeasedTask } from './leased-task.js';

const logger = {
  debug: () => undefined,
  error: () => undefined,
  log: () => undefined,
  warn: () => undefined,
};

/** A task on these rows; `handled` has its batches. */
function taskOn(rows: number[], onBatch: (task: LeasedTask<number>) => void = () => undefined) {
  const handled: (readonly number[])[] = [];
  let isDone: () => void = () => undefined;
  const done = new Promise<void>((resolve) => {
    isDone = resolve;
  });
  const task: LeasedTask<number> = new LeasedTask<number>({
    periodMs: 1,
    batch: 2,
    lease: (most) => {
      if (rows.length === 0) isDone();
      return Promise.resolve(rows.splice(0, most));
    },
    handle: (batch) => {
      handled.push(batch);
      onBatch(task);
      if (task.isStopping) isDone();
      return Promise.resolve();
    },
    failure: 'The test failed',
    logger,
  });
  return { task, handled, done };
}

describe(LeasedTask.name, () => {
  it('handles all due rows in batches, and never an empty one', async () => {
    const { task, handled, done } = taskOn([1, 2, 3, 4, 5]);
    task.start();
    await done;
    await task.stop();
    expect(handled).toEqual([[1, 2], [3, 4], [5]]);
  });

  it('takes no further batch when it is stopping', async () => {
    const rows = [1, 2, 3, 4, 5];
    const { task, handled, done } = taskOn(rows, (running) => void running.stop());
    task.start();
    await done;
    await task.stop();
    expect(handled).toEqual([[1, 2]]);
    expect(rows).toEqual([3, 4, 5]);
  });
});
