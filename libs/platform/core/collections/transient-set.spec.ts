import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Indexed, TransientSet } from './transient-set.js';

const member = (): Indexed => ({ index: 0 });

describe(TransientSet, () => {
  it('has the same members as a Set after any additions and deletions', () => {
    const steps = fc.array(fc.record({ adds: fc.boolean(), which: fc.nat(9) }), { maxLength: 100 });
    fc.assert(
      fc.property(steps, (given) => {
        const members = Array.from({ length: 10 }, member);
        const expected = new Set<Indexed>();
        const sut = new TransientSet<Indexed>();
        for (const { adds, which } of given) {
          const one = members[which];
          if (one === undefined || (adds && expected.has(one))) continue;
          if (adds) {
            expected.add(one);
            sut.add(one);
          } else {
            expected.delete(one);
            sut.delete(one);
          }
          expect(sut.size).toBe(expected.size);
        }
        expect(new Set(sut)).toEqual(expected);
        expect([...sut]).toHaveLength(expected.size);
      }),
    );
  });

  it('ignores the deletion of a member of another set', () => {
    const [mine, other] = [member(), member()];
    const sut = new TransientSet<Indexed>();
    sut.add(mine);
    sut.delete(other);
    expect([...sut]).toEqual([mine]);
  });
});
