import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { eventIdAt, heartbeatId, MAX_FORMS, positionOf, startIdAt } from './queue.js';

const position = fc.integer({ min: 0, max: 130_000_000_000 });

describe('the ids of a queue', () => {
  it('are safe integers that name their position', () => {
    fc.assert(
      fc.property(position, fc.integer({ min: 0, max: MAX_FORMS - 1 }), (at, form) => {
        const id = eventIdAt(at) + form;
        expect(Number.isSafeInteger(id)).toBe(true);
        expect(positionOf(id)).toBe(at);
        expect(id).toBeLessThan(startIdAt(at));
        expect(startIdAt(at)).toBeLessThan(eventIdAt(at + 1));
      }),
    );
  });

  it('have room for the heartbeats of a month after an event', () => {
    fc.assert(
      fc.property(position, (at) => {
        let last = eventIdAt(at);
        for (let count = 0; count < 100; count += 1) {
          const next = heartbeatId(last, at);
          expect(next).toBeGreaterThan(last);
          expect(positionOf(next)).toBe(at);
          last = next;
        }
      }),
    );
    const days = ((eventIdAt(1) - startIdAt(0)) * 50) / 86_400;
    expect(days).toBeGreaterThan(31);
  });

  it('never pass the next event', () => {
    const last = eventIdAt(8) - 1;
    expect(heartbeatId(last, 7)).toBe(last);
  });
});
