import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { clientCapabilities } from '#events/declarations';
import { MEBIBYTE } from '#platform/contracts';
import { optionsWith } from '#test/queue-options';
import { EventWindow } from './event-window.js';
import { loggedEvent } from './logged-event.fixture.js';

/** The options of a usual client. */
const options = { ...optionsWith(), applyMarkdown: true, slimPresence: true };

/** The bytes of all objects that are in use. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  // The second collection waits until the first one has freed its buffers.
  runInNewContext('gc(); gc()');
  setFlagsFromString('--no-expose-gc');
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const logged = (position: number, text = '') => loggedEvent(position, { body: { text } });

const at = (position: number) => ({ position, storedAt: null });

const positionsAfter = (window: EventWindow, position: number) =>
  window.after(position).map((event) => event.position);

describe(EventWindow.name, () => {
  it('begins empty at the newest event', () => {
    const sut = new EventWindow(at(7), new Map());
    expect([sut.base, sut.headPosition]).toEqual([7, 7]);
    expect(positionsAfter(sut, 7)).toEqual([]);
  });

  it('adds the next events, and ignores those that it has', () => {
    const sut = new EventWindow(at(7), new Map());
    expect(sut.add([logged(8), logged(9)])).toHaveLength(2);
    expect(sut.add([logged(9), logged(10)]).map(({ position }) => position)).toEqual([10]);
    expect(positionsAfter(sut, 7)).toEqual([8, 9, 10]);
    expect(positionsAfter(sut, 9)).toEqual([10]);
  });

  it('keeps the newest 5,000 events', () => {
    const sut = new EventWindow(at(0), new Map());
    sut.add(Array.from({ length: 5100 }, (_, index) => logged(index + 1)));
    expect([sut.base, sut.headPosition]).toEqual([100, 5100]);
    expect(positionsAfter(sut, 5098)).toEqual([5099, 5100]);
  });

  it('keeps at most about 16 MiB', () => {
    const sut = new EventWindow(at(0), new Map());
    const text = 'x'.repeat(1024 * 1024);
    sut.add(Array.from({ length: 20 }, (_, index) => logged(index + 1, text)));
    expect(sut.headPosition).toBe(20);
    expect(sut.headPosition - sut.base).toBeLessThanOrEqual(8);
    expect(positionsAfter(sut, sut.base)).toHaveLength(sut.headPosition - sut.base);
  });

  it('takes about as much memory as it says, also for events to many accounts', () => {
    const sut = new EventWindow(at(0), new Map());
    const before = usedBytes();
    for (let position = 1; position <= 1000; position += 1) {
      const userIds = Array.from({ length: 2000 }, (_, index) => index);
      const [event] = sut.add([loggedEvent(position, { userIds, body: { position } })]);
      event?.isFor({ userId: 7, isGuest: false, keyGeneration: 1 }, options);
      event?.formsFor(options);
    }
    const taken = usedBytes() - before;
    expect(sut.size.events).toBe(1000);
    expect(taken / sut.size.bytes).toBeLessThan(1.5);
  });

  it.each(['each at once', 'all of them later'])(
    'takes as much also if one account gets all events in many forms: %s',
    (time) => {
      const formsOf = (body: object) => [{ ...body, form: 1 }];
      const sut = new EventWindow(at(0), new Map([['thing', { type: 'thing', formsOf }]]));
      const read = (position: number) => {
        for (const event of sut.after(position)) {
          for (const capability of clientCapabilities)
            event.formsFor({ ...options, capabilities: [capability] });
        }
      };
      const before = usedBytes();
      for (let position = 1; position <= 300; position += 1) {
        sut.add([logged(position, `${position}${'x'.repeat(50_000)}`)]);
        if (time === 'each at once') read(position - 1);
      }
      read(sut.base);
      expect(usedBytes() - before).toBeLessThan(24 * MEBIBYTE);
      expect(sut.size.events).toBeGreaterThan(10);
      expect(sut.size.bytes).toBeLessThanOrEqual(16 * MEBIBYTE);
    },
  );

  it.each([
    ['of too many, the newest', [], 5000],
    ['of too large ones, the newest', Array<number>(20).fill(1_000_000), 8],
  ])('has the size of the events that it keeps: %s', (_, largeLengths, kept) => {
    const lengths = [
      ...Array.from({ length: 5100 }, (_event, index) => index % 100),
      ...largeLengths,
    ];
    const events = lengths.map((length, index) => logged(index + 1, 'x'.repeat(length)));
    const sut = new EventWindow(at(0), new Map());
    for (const event of events) sut.add([event]);
    const alone = new EventWindow(at(sut.base), new Map());
    alone.add(events.slice(sut.base));
    expect(sut.size).toEqual(alone.size);
    expect(sut.size.events).toBe(kept);
  });
});
