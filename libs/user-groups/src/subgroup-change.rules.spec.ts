import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  maySetSubgroups,
  planSubgroups,
  type SubgroupGuard,
  type SubgroupSituation,
  type WantedSubgroups,
} from './subgroup-change.rules.js';

const ADDERS = 1;
const MANAGERS = 2;
const REMOVERS = 3;
const MANAGERS_OF_ALL = 4;

const guard = (traits: Partial<SubgroupGuard> = {}): SubgroupGuard => ({
  isSystem: false,
  canAddMembersId: ADDERS,
  canManageId: MANAGERS,
  canRemoveMembersId: REMOVERS,
  canManageAllGroupsId: MANAGERS_OF_ALL,
  ...traits,
});

const adding = { add: [10], remove: [] };
const removing = { add: [], remove: [10] };
const both = { add: [10], remove: [11] };

type Row = [string, number[], add: boolean, remove: boolean, both: boolean];

describe(maySetSubgroups.name, () => {
  it.each<Row>([
    ['nobody in particular', [], false, false, false],
    ['who manages all groups', [MANAGERS_OF_ALL], true, true, true],
    ['who manages the group', [MANAGERS], true, true, true],
    ['who may add members', [ADDERS], true, false, false],
    ['who may remove members', [REMOVERS], false, true, false],
    ['who may add and remove members', [ADDERS, REMOVERS], true, true, true],
  ])('of %s', (_who, groups, mayAdd, mayRemove, mayBoth) => {
    const sut = (wanted: WantedSubgroups) => maySetSubgroups(guard(), new Set(groups), wanted);
    expect(sut(adding)).toBe(mayAdd);
    expect(sut(removing)).toBe(mayRemove);
    expect(sut(both)).toBe(mayBoth);
  });

  it('is false of a system group, whoever it is', () => {
    const everything = new Set([ADDERS, MANAGERS, REMOVERS, MANAGERS_OF_ALL]);
    expect(maySetSubgroups(guard({ isSystem: true }), everything, adding)).toBe(false);
  });
});

const SUPERGROUP = 1;

/** 10 and 11 are outside, 20 and 21 are subgroups, 30 is deactivated, 31 a deactivated subgroup. */
const situation = (wouldClose = false): SubgroupSituation => ({
  groups: new Map([
    [SUPERGROUP, { isDeactivated: false, isSubgroup: false }],
    [10, { isDeactivated: false, isSubgroup: false }],
    [11, { isDeactivated: false, isSubgroup: false }],
    [20, { isDeactivated: false, isSubgroup: true }],
    [21, { isDeactivated: false, isSubgroup: true }],
    [30, { isDeactivated: true, isSubgroup: false }],
    [31, { isDeactivated: true, isSubgroup: true }],
  ]),
  wouldClose,
});

describe(planSubgroups.name, () => {
  it.each<[string, WantedSubgroups, WantedSubgroups]>([
    ['adds', { add: [11, 10], remove: [] }, { add: [11, 10], remove: [] }],
    ['removes', { add: [], remove: [21, 20] }, { add: [], remove: [21, 20] }],
    ['does both', { add: [10], remove: [20] }, { add: [10], remove: [20] }],
    ['adds once', { add: [10, 10], remove: [] }, { add: [10], remove: [] }],
    ['removes once', { add: [], remove: [20, 20] }, { add: [], remove: [20] }],
    ['does nothing of both', { add: [10, 11], remove: [10] }, { add: [11], remove: [] }],
    ['removes what is deactivated', { add: [], remove: [31] }, { add: [], remove: [31] }],
  ])('%s', (_what, wanted, planned) => {
    expect(planSubgroups(SUPERGROUP, wanted, situation())).toEqual(planned);
  });

  it.each<[WantedSubgroups, string]>([
    [{ add: [10, 99, 98], remove: [] }, 'Invalid user group ID: 99'],
    [{ add: [], remove: [20, 99] }, 'Invalid user group ID: 99'],
    [{ add: [30], remove: [] }, 'User group is deactivated.'],
    [{ add: [31], remove: [] }, 'User group is deactivated.'],
    [{ add: [10, 21, 20], remove: [] }, 'User group 21 is already a subgroup of this group.'],
    [{ add: [], remove: [20, 10, 11] }, 'User group 10 is not a subgroup of this group.'],
    [{ add: [20], remove: [20] }, 'User group 20 is already a subgroup of this group.'],
    [{ add: [20], remove: [99] }, 'User group 20 is already a subgroup of this group.'],
  ])('refuses %j: %s', (wanted, message) => {
    expect(() => planSubgroups(SUPERGROUP, wanted, situation())).toThrow(message);
  });

  it('refuses what would close a cycle, but tells of other faults of those to add before', () => {
    const closing = situation(true);
    expect(() => planSubgroups(SUPERGROUP, { add: [10], remove: [] }, closing)).toThrow(
      'User group 1 is already a subgroup of one of the passed subgroups.',
    );
    expect(() => planSubgroups(SUPERGROUP, { add: [10, 99], remove: [] }, closing)).toThrow(
      'Invalid user group ID: 99',
    );
  });

  it('ends as adding and then removing one by one would', () => {
    const ids = fc.array(fc.constantFrom(10, 11, 20, 21));
    fc.assert(
      fc.property(ids, ids, (add, remove) => {
        const wanted = { add: add.filter((id) => id < 20), remove };
        const stored = new Set([20, 21]);
        const expected = new Set([...stored, ...wanted.add]);
        fc.pre(remove.every((id) => expected.has(id)));
        for (const id of remove) expected.delete(id);

        const planned = planSubgroups(SUPERGROUP, wanted, situation());
        // What the database would refuse or not find.
        expect(planned.add.filter((id) => stored.has(id))).toEqual([]);
        expect(planned.remove.filter((id) => !stored.has(id))).toEqual([]);
        for (const id of planned.add) stored.add(id);
        for (const id of planned.remove) stored.delete(id);
        expect([...stored].toSorted()).toEqual([...expected].toSorted());
      }),
    );
  });
});
