import { describe, expect, it } from '@jest/globals';
import { PrioritySemaphore, Slots } from './platform-pools.js';

/** Requests for slots, and the slots that were granted. */
class SlotRequests {
  readonly granted: string[] = [];
  readonly #slots = new Map<string, Slots>();

  constructor(private readonly room: PrioritySemaphore) {}

  async ask(lane: 'urgent' | 'bulk', size: number, name: string): Promise<void> {
    const asked = this.room.acquire(lane, size).then((slots) => {
      this.granted.push(name);
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
    const requests = new SlotRequests(new PrioritySemaphore(10));
    await requests.ask('urgent', 6, 'one');
    await requests.ask('urgent', 6, 'two');
    expect(requests.granted).toEqual(['one']);
    await requests.end('one');
    expect(requests.granted).toEqual(['one', 'two']);
  });

  it('grants slots as soon as enough were released', async () => {
    const requests = new SlotRequests(new PrioritySemaphore(10));
    await requests.ask('urgent', 8, 'one');
    await requests.ask('urgent', 6, 'two');
    await requests.end('one', 3);
    expect(requests.granted).toEqual(['one']);
    await requests.end('one', 1);
    expect(requests.granted).toEqual(['one', 'two']);
  });

  it('takes back no more slots than it granted', async () => {
    const requests = new SlotRequests(new PrioritySemaphore(10));
    await requests.ask('urgent', 10, 'one');
    await requests.ask('urgent', 10, 'two');
    await requests.end('one', 25);
    await requests.end('one');
    await requests.ask('urgent', 1, 'three');
    expect(requests.granted).toEqual(['one', 'two']);
  });

  it('always keeps slots for the urgent lane', async () => {
    const requests = new SlotRequests(new PrioritySemaphore(10));
    for (let count = 0; count < 5; count += 1) await requests.ask('bulk', 5, `bulk ${count}`);
    await requests.ask('urgent', 5, 'urgent');
    expect(requests.granted).toEqual(['bulk 0', 'urgent']);
  });

  it('bounds the slots of both lanes together', async () => {
    const requests = new SlotRequests(new PrioritySemaphore(10));
    await requests.ask('bulk', 2, 'bulk');
    await requests.ask('urgent', 8, 'urgent');
    await requests.ask('bulk', 2, 'next bulk');
    expect(requests.granted).toEqual(['bulk', 'urgent']);
    await requests.end('urgent', 2);
    expect(requests.granted).toEqual(['bulk', 'urgent', 'next bulk']);
  });

  it('grants more slots than there are to an idle lane', async () => {
    const requests = new SlotRequests(new PrioritySemaphore(10));
    await requests.ask('urgent', 1, 'one');
    await requests.ask('urgent', 20, 'crowd');
    expect(requests.granted).toEqual(['one']);
    await requests.end('one');
    expect(requests.granted).toEqual(['one', 'crowd']);
  });

  it('splits work into chunks of the size of a lane', () => {
    const sut = new PrioritySemaphore(5);
    expect(sut.chunks('urgent', [1, 2, 3, 4, 5, 6])).toEqual([[1, 2, 3, 4, 5], [6]]);
    expect(sut.chunks('bulk', [1, 2, 3, 4])).toEqual([[1, 2, 3], [4]]);
    expect(new PrioritySemaphore(1).chunks('bulk', [1, 2])).toEqual([[1], [2]]);
  });

  it('splits no item that needs several slots', () => {
    const size = (slots: number) => slots;
    const sut = new PrioritySemaphore(10);
    expect(sut.chunks('urgent', [4, 5, 3, 20, 1], size)).toEqual([[4, 5], [3], [20], [1]]);
  });
});

describe(Slots, () => {
  const acquire = () => new PrioritySemaphore(2).acquire('urgent', 2);

  it('are kept for deliveries that come after others have ended', async () => {
    const sut = await acquire();
    sut.expect(3);
    for (let delivery = 0; delivery < 3; delivery += 1) {
      expect(sut.take()).toBeUndefined();
      sut.release();
    }
  });

  it('go from one delivery to the next that waits', async () => {
    const sut = await acquire();
    sut.expect(4);
    const turns = [sut.take(), sut.take(), sut.take(), sut.take()];
    expect(turns.map((turn) => turn !== undefined)).toEqual([false, false, true, true]);
    sut.release();
    await turns[2];
    sut.release();
    await turns[3];
  });

  it('are given back when no further delivery needs them', async () => {
    const room = new PrioritySemaphore(2);
    const sut = await room.acquire('urgent', 2);
    sut.expect(3);
    for (let delivery = 0; delivery < 3; delivery += 1) void sut.take();
    const next = room.acquire('urgent', 2);
    for (let delivery = 0; delivery < 3; delivery += 1) sut.release();
    await expect(next).resolves.toBeInstanceOf(Slots);
  });
});
