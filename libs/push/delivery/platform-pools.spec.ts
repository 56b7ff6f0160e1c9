import { describe, expect, it } from '@jest/globals';
import { PrioritySemaphore, type Slots } from './platform-pools.js';

/** Requests for slots, and the slots that were granted. */
class Askers {
  readonly let: string[] = [];
  readonly #slots = new Map<string, Slots>();

  constructor(private readonly room: PrioritySemaphore) {}

  async ask(lane: 'urgent' | 'bulk', size: number, name: string): Promise<void> {
    const asked = this.room.acquire(lane, size).then((slots) => {
      this.let.push(name);
      this.#slots.set(name, slots);
    });
    await Promise.race([asked, new Promise((resolve) => setImmediate(resolve))]);
  }

  /** So many of the pushes of one are answered; all of them when no number is given. */
  async end(name: string, count?: number): Promise<void> {
    const slots = this.#slots.get(name);
    if (count === undefined) slots?.releaseAll();
    for (let left = count ?? 0; left > 0; left -= 1) slots?.release();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe(PrioritySemaphore, () => {
  it('grants no more slots than there are', async () => {
    const askers = new Askers(new PrioritySemaphore(10));
    await askers.ask('urgent', 6, 'one');
    await askers.ask('urgent', 6, 'two');
    expect(askers.let).toEqual(['one']);
    await askers.end('one');
    expect(askers.let).toEqual(['one', 'two']);
  });

  it('grants slots as soon as enough were released', async () => {
    const askers = new Askers(new PrioritySemaphore(10));
    await askers.ask('urgent', 8, 'one');
    await askers.ask('urgent', 6, 'two');
    await askers.end('one', 3);
    expect(askers.let).toEqual(['one']);
    await askers.end('one', 1);
    expect(askers.let).toEqual(['one', 'two']);
  });

  it('takes back no more slots than it granted', async () => {
    const askers = new Askers(new PrioritySemaphore(10));
    await askers.ask('urgent', 10, 'one');
    await askers.ask('urgent', 10, 'two');
    await askers.end('one', 25);
    await askers.end('one');
    await askers.ask('urgent', 1, 'three');
    expect(askers.let).toEqual(['one', 'two']);
  });

  it('always keeps slots for the urgent lane', async () => {
    const askers = new Askers(new PrioritySemaphore(10));
    for (let count = 0; count < 5; count += 1) await askers.ask('bulk', 5, `bulk ${count}`);
    await askers.ask('urgent', 5, 'urgent');
    expect(askers.let).toEqual(['bulk 0', 'urgent']);
  });

  it('grants more slots than there are to an idle lane', async () => {
    const askers = new Askers(new PrioritySemaphore(10));
    await askers.ask('urgent', 1, 'one');
    await askers.ask('urgent', 20, 'crowd');
    expect(askers.let).toEqual(['one']);
    await askers.end('one');
    expect(askers.let).toEqual(['one', 'crowd']);
  });

  it('splits work into chunks of the size of a lane', () => {
    const sut = new PrioritySemaphore(5);
    expect(sut.chunks('urgent', [1, 2, 3, 4, 5, 6])).toEqual([[1, 2, 3, 4, 5], [6]]);
    expect(sut.chunks('bulk', [1, 2, 3, 4])).toEqual([[1, 2, 3], [4]]);
    expect(new PrioritySemaphore(1).chunks('bulk', [1, 2])).toEqual([[1], [2]]);
  });
});
