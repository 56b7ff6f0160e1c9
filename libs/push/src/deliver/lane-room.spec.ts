import { describe, expect, it } from '@jest/globals';
import { LaneRoom, type Places } from './lane-room.js';

/** Those who have asked for room, and what they were given. */
class Askers {
  readonly let: string[] = [];
  readonly #places = new Map<string, Places>();

  constructor(private readonly room: LaneRoom) {}

  async ask(lane: 'urgent' | 'bulk', size: number, name: string): Promise<void> {
    const asked = this.room.take(lane, size).then((places) => {
      this.let.push(name);
      this.#places.set(name, places);
    });
    await Promise.race([asked, new Promise((resolve) => setImmediate(resolve))]);
  }

  /** So many of the pushes of one are answered; all of them when no number is given. */
  async end(name: string, count?: number): Promise<void> {
    const places = this.#places.get(name);
    if (count === undefined) places?.leaveAll();
    for (let left = count ?? 0; left > 0; left -= 1) places?.leave();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe(LaneRoom, () => {
  it('lets no more in than there is room for', async () => {
    const askers = new Askers(new LaneRoom(10));
    await askers.ask('urgent', 6, 'one');
    await askers.ask('urgent', 6, 'two');
    expect(askers.let).toEqual(['one']);
    await askers.end('one');
    expect(askers.let).toEqual(['one', 'two']);
  });

  it('lets the next in as soon as enough of those before are answered', async () => {
    const askers = new Askers(new LaneRoom(10));
    await askers.ask('urgent', 8, 'one');
    await askers.ask('urgent', 6, 'two');
    await askers.end('one', 3);
    expect(askers.let).toEqual(['one']);
    await askers.end('one', 1);
    expect(askers.let).toEqual(['one', 'two']);
  });

  it('takes back no more room than it gave', async () => {
    const askers = new Askers(new LaneRoom(10));
    await askers.ask('urgent', 10, 'one');
    await askers.ask('urgent', 10, 'two');
    await askers.end('one', 25);
    await askers.end('one');
    await askers.ask('urgent', 1, 'three');
    expect(askers.let).toEqual(['one', 'two']);
  });

  it('always has room for what may not wait, however much of the rest runs', async () => {
    const askers = new Askers(new LaneRoom(10));
    for (let count = 0; count < 5; count += 1) await askers.ask('bulk', 5, `bulk ${count}`);
    await askers.ask('urgent', 5, 'urgent');
    expect(askers.let).toEqual(['bulk 0', 'urgent']);
  });

  it('lets something that is larger than all the room in alone', async () => {
    const askers = new Askers(new LaneRoom(10));
    await askers.ask('urgent', 1, 'one');
    await askers.ask('urgent', 20, 'crowd');
    expect(askers.let).toEqual(['one']);
    await askers.end('one');
    expect(askers.let).toEqual(['one', 'crowd']);
  });

  it('cuts work to what a lane has room for', () => {
    const sut = new LaneRoom(5);
    expect(sut.slicesOf('urgent', [1, 2, 3, 4, 5, 6])).toEqual([[1, 2, 3, 4, 5], [6]]);
    expect(sut.slicesOf('bulk', [1, 2, 3, 4])).toEqual([[1, 2, 3], [4]]);
    expect(new LaneRoom(1).slicesOf('bulk', [1, 2])).toEqual([[1], [2]]);
  });
});
