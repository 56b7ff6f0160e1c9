import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PollEnds } from './poll-ends.js';
import type { EventQueue } from './queue.js';
import type { QueueStateStore } from './queue-state.store.js';

const queueOf = (id: string, idleSeconds = 600) => ({ id, idleSeconds }) as EventQueue;
/** An end waits for a second, and for the next of the runs, which are about a second apart. */
const LONGEST_MS = 2600;

let sut: PollEnds;
let written: { readonly id: string; readonly holder: string; readonly agoMs: number }[];

beforeEach(() => {
  written = [];
  // The fake has the method that is called.
  const states = {
    end: ({ id }: EventQueue, holder: string, agoMs: number) => {
      written.push({ id, holder, agoMs });
      return Promise.resolve();
    },
  };
  sut = new PollEnds(states as unknown as QueueStateStore);
  sut.onApplicationBootstrap();
});

afterEach(() => sut.beforeApplicationShutdown());

describe(PollEnds.name, () => {
  it('writes the end of a poll with its age, and only once', async () => {
    sut.add(queueOf('a'), 'one');
    await delay(LONGEST_MS);
    expect(written).toEqual([{ id: 'a', holder: 'one', agoMs: expect.any(Number) }]);
    expect(written[0]?.agoMs).toBeGreaterThanOrEqual(1000);
    await sut.beforeApplicationShutdown();
    expect(written).toHaveLength(1);
  });

  it('writes nothing for a queue with a newer poll, and names the poll that has ended', async () => {
    sut.add(queueOf('a'), 'one');
    expect(sut.cancel('a')).toBe('one');
    expect(sut.cancel('a')).toBeNull();
    await sut.beforeApplicationShutdown();
    expect(written).toEqual([]);
  });

  it('does not wait for a queue that expires soon', () => {
    sut.add(queueOf('a', 2), 'one');
    expect(written).toMatchObject([{ id: 'a', holder: 'one' }]);
  });

  it('writes all ends when the gateway stops, and those that follow at once', async () => {
    sut.add(queueOf('a'), 'one');
    await sut.beforeApplicationShutdown();
    sut.add(queueOf('b'), 'two');
    expect(written).toMatchObject([{ id: 'a' }, { id: 'b' }]);
  });
});
