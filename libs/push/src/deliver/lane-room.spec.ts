import { describe, expect, it } from '@jest/globals';
import { LaneRoom } from './lane-room.js';

/** Tasks that run until they are told to end. */
class Tasks {
  readonly started: string[] = [];
  readonly #ends = new Map<string, () => void>();

  of = (name: string) => (): Promise<void> => {
    this.started.push(name);
    return new Promise((resolve) => this.#ends.set(name, resolve));
  };

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe(LaneRoom, () => {
  it('lets no more run than there is room for', async () => {
    const sut = new LaneRoom(10);
    const tasks = new Tasks();
    void sut.run('urgent', 6, tasks.of('one'));
    void sut.run('urgent', 6, tasks.of('two'));
    expect(tasks.started).toEqual(['one']);
    await tasks.end('one');
    expect(tasks.started).toEqual(['one', 'two']);
  });

  it('always has room for what may not wait, however much of the rest runs', () => {
    const sut = new LaneRoom(10);
    const tasks = new Tasks();
    for (let count = 0; count < 5; count += 1) void sut.run('bulk', 5, tasks.of(`bulk ${count}`));
    void sut.run('urgent', 5, tasks.of('urgent'));
    expect(tasks.started).toEqual(['bulk 0', 'urgent']);
  });

  it('goes on after a task that failed', async () => {
    const sut = new LaneRoom(1);
    await expect(sut.run('bulk', 1, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await sut.run('bulk', 1, () => Promise.resolve('done'))).toBe('done');
  });

  it('cuts work to what a lane has room for', () => {
    const sut = new LaneRoom(5);
    expect(sut.slicesOf('urgent', [1, 2, 3, 4, 5, 6])).toEqual([[1, 2, 3, 4, 5], [6]]);
    expect(sut.slicesOf('bulk', [1, 2, 3, 4])).toEqual([[1, 2, 3], [4]]);
    expect(new LaneRoom(1).slicesOf('bulk', [1, 2])).toEqual([[1], [2]]);
  });
});
