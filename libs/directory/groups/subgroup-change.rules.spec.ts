import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ListChange } from './group-authority.rules.js';
import { planSubgroups, type SubgroupState } from './subgroup-change.rules.js';

const SUPERGROUP = 1;

/** 10 and 11 are not subgroups, 20 and 21 are subgroups, 30 is deactivated, 31 is a deactivated subgroup. */
const state = (wouldCreateCycle = false): SubgroupState => ({
  groups: new Map([
    [SUPERGROUP, { isDeactivated: false, isSubgroup: false }],
    [10, { isDeactivated: false, isSubgroup: false }],
    [11, { isDeactivated: false, isSubgroup: false }],
    [20, { isDeactivated: false, isSubgroup: true }],
    [21, { isDeactivated: false, isSubgroup: true }],
    [30, { isDeactivated: true, isSubgroup: false }],
    [31, { isDeactivated: true, isSubgroup: true }],
  ]),
  wouldCreateCycle,
});

describe(planSubgroups.name, () => {
  it.each<[string, ListChange, ListChange]>([
    ['adds', { add: [11, 10], remove: [] }, { add: [11, 10], remove: [] }],
    ['removes', { add: [], remove: [21, 20] }, { add: [], remove: [21, 20] }],
    ['does both', { add: [10], remove: [20] }, { add: [10], remove: [20] }],
    ['adds once', { add: [10, 10], remove: [] }, { add: [10], remove: [] }],
    ['removes once', { add: [], remove: [20, 20] }, { add: [], remove: [20] }],
    ['ignores a group in both lists', { add: [10, 11], remove: [10] }, { add: [11], remove: [] }],
    ['removes a deactivated group', { add: [], remove: [31] }, { add: [], remove: [31] }],
  ])('%s', (_case, wanted, planned) => {
    expect(planSubgroups(SUPERGROUP, wanted, state())).toEqual(planned);
  });

  it.each<[ListChange, string]>([
    [{ add: [10, 99, 98], remove: [] }, 'Invalid user group ID: 99'],
    [{ add: [], remove: [20, 99] }, 'Invalid user group ID: 99'],
    [{ add: [30], remove: [] }, 'User group is deactivated.'],
    [{ add: [31], remove: [] }, 'User group is deactivated.'],
    [{ add: [10, 21, 20], remove: [] }, 'User group 21 is already a subgroup of this group.'],
    [{ add: [], remove: [20, 10, 11] }, 'User group 10 is not a subgroup of this group.'],
    [{ add: [20], remove: [20] }, 'User group 20 is already a subgroup of this group.'],
    [{ add: [20], remove: [99] }, 'User group 20 is already a subgroup of this group.'],
  ])('rejects %j: %s', (wanted, message) => {
    expect(() => planSubgroups(SUPERGROUP, wanted, state())).toThrow(message);
  });

  it('rejects a cycle after all other errors of the additions', () => {
    const withCycle = state(true);
    expect(() => planSubgroups(SUPERGROUP, { add: [10], remove: [] }, withCycle)).toThrow(
      'User group 1 is already a subgroup of one of the passed subgroups.',
    );
    expect(() => planSubgroups(SUPERGROUP, { add: [10, 99], remove: [] }, withCycle)).toThrow(
      'Invalid user group ID: 99',
    );
  });

  it('equals adding and then removing the groups one by one', () => {
    const ids = fc.array(fc.constantFrom(10, 11, 20, 21));
    fc.assert(
      fc.property(ids, ids, (add, remove) => {
        const wanted = { add: add.filter((id) => id < 20), remove };
        const stored = new Set([20, 21]);
        const expected = new Set([...stored, ...wanted.add]);
        fc.pre(remove.every((id) => expected.has(id)));
        for (const id of remove) expected.delete(id);

        const planned = planSubgroups(SUPERGROUP, wanted, state());
        // The database would reject or not find these rows.
        expect(planned.add.filter((id) => stored.has(id))).toEqual([]);
        expect(planned.remove.filter((id) => !stored.has(id))).toEqual([]);
        for (const id of planned.add) stored.add(id);
        for (const id of planned.remove) stored.delete(id);
        expect([...stored].toSorted()).toEqual([...expected].toSorted());
      }),
    );
  });
});
