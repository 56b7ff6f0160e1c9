import { describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import fc from 'fast-check';
import { addOrganisation } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { addGroup, subgroupsOf } from '#test/user-groups';
import { useFixture } from '#test/use-fixture';

const system = useGateway();
const organisation = useFixture(() => addOrganisation(system));
const owner = useFixture(() => organisation.addPerson({ role: roles.owner }));

async function newGroups(count: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < count) ids.push(await addGroup(system, organisation));
  return ids;
}

const add = (supergroup: number, subgroups: readonly number[]) =>
  owner.api.post(`/user_groups/${supergroup}/subgroups`, { add: subgroups });

const cycle = (supergroup: number) => ({
  status: 400,
  body: {
    result: 'error',
    msg: `User group ${supergroup} is already a subgroup of one of the passed subgroups.`,
    code: 'BAD_REQUEST',
  },
});

/** Whether one of these groups contains itself, directly or indirectly. */
async function hasCycle(groups: readonly number[]): Promise<boolean> {
  const below = new Map<number, number[]>();
  for (const group of groups) below.set(group, await subgroupsOf(system, group));
  const reaches = (from: number, to: number, seen = new Set<number>()): boolean =>
    (below.get(from) ?? []).some((next) => {
      if (next === to) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return reaches(next, to, seen);
    });
  return groups.some((group) => reaches(group, group));
}

describe('a cycle of user groups', () => {
  it('of one group is rejected', async () => {
    const [group = 0] = await newGroups(1);
    expect(await add(group, [group])).toMatchObject(cycle(group));
  });

  it('of two groups is rejected', async () => {
    const [one = 0, two = 0] = await newGroups(2);
    expect(await add(one, [two])).toMatchObject({ status: 200 });
    expect(await add(two, [one])).toMatchObject(cycle(two));
    expect(await subgroupsOf(system, two)).toEqual([]);
  });

  it('of many groups is rejected with all other additions', async () => {
    const [top = 0, other = 0, ...rest] = await newGroups(6);
    let bottom = top;
    for (const next of rest) {
      expect(await add(bottom, [next])).toMatchObject({ status: 200 });
      bottom = next;
    }
    expect(await add(bottom, [other, top])).toMatchObject(cycle(bottom));
    expect(await subgroupsOf(system, bottom)).toEqual([]);
  });

  it('does not include two groups with the same subgroup', async () => {
    const [top = 0, left = 0, right = 0, bottom = 0] = await newGroups(4);
    expect(await add(top, [left, right])).toMatchObject({ status: 200 });
    expect(await add(left, [bottom])).toMatchObject({ status: 200 });
    expect(await add(right, [bottom])).toMatchObject({ status: 200 });
  });

  it('is not created by two concurrent requests: one succeeds', async () => {
    for (let round = 0; round < 10; round += 1) {
      const [one = 0, two = 0] = await newGroups(2);
      const replies = await Promise.all([add(one, [two]), add(two, [one])]);
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400]);
      const refused = replies[0]?.status === 400 ? one : two;
      expect(replies.find(({ status }) => status === 400)).toMatchObject(cycle(refused));
      expect(await hasCycle([one, two])).toBe(false);
    }
  });

  it('is not created by many concurrent requests', async () => {
    const GROUPS = 5;
    const index = fc.nat({ max: GROUPS - 1 });
    const edges = fc.array(fc.tuple(index, fc.uniqueArray(index, { minLength: 1, maxLength: 2 })), {
      minLength: 2,
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(edges, async (wanted) => {
        const groups = await newGroups(GROUPS);
        const idOf = (at: number): number => groups[at] ?? 0;
        const replies = await Promise.all(
          wanted.map(([above, below]) => add(idOf(above), below.map(idOf))),
        );
        expect(replies.filter(({ status }) => status !== 200 && status !== 400)).toEqual([]);
        expect(await hasCycle(groups)).toBe(false);
      }),
      { numRuns: 20 },
    );
  });
});
