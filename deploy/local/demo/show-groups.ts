import { type Actor, type DemoApi, granted, refused } from './demo-api.js';
import { DemoMismatch } from './demo-mismatch.js';
import type { Narrator } from './narrator.js';

const INNER = 'backend';
const OUTER = 'mobile';

/** What of a group the demonstration looks at. */
interface Group {
  readonly id: number;
  readonly name: string;
  readonly is_system_group: boolean;
  readonly members: readonly number[];
  readonly direct_subgroup_ids: readonly number[];
}

/** The groups of the organisation, and that none of them can come to lie in itself. */
export async function showGroups(
  api: DemoApi,
  narrator: Narrator,
  { member, admin }: { readonly member: Actor; readonly admin: Actor },
): Promise<void> {
  narrator.chapter(
    'Groups of people',
    'Those that begin with "role:" follow from what people are; the others are made by people, and a group\n' +
      'may lie in another one.',
  );
  const expected = granted('The groups can be listed');
  const body = await api.call(member, ['GET', '/user_groups'], {}, expected);
  // The contract's format of a group.
  const groups = body['user_groups'] as readonly Group[];
  narrator.screen(`On ${member.name}’s screen, ${groups.length} groups`, linesOf(groups));
  const [inner, outer] = [groupNamed(groups, INNER), groupNamed(groups, OUTER)];
  if (!outer.direct_subgroup_ids.includes(inner.id)) {
    throw new DemoMismatch(`The group ${INNER} lies in ${OUTER}`, JSON.stringify(outer));
  }
  narrator.seen(`${INNER} lies in ${OUTER}.`);

  narrator.chapter(
    'No group lies in itself',
    `${admin.name} tries to put ${OUTER} into ${INNER}, which lies in ${OUTER}: a circle without an end.`,
  );
  const msg = `User group ${inner.id} is already a subgroup of one of the passed subgroups.`;
  await api.call(
    admin,
    ['POST', `/user_groups/${inner.id}/subgroups`],
    { add: `[${outer.id}]` },
    refused(400, msg, 'The circle is refused'),
  );
  narrator.seen('The circle is refused, and nothing has changed.');
}

function linesOf(groups: readonly Group[]): string[] {
  const names = new Map(groups.map(({ id, name }) => [id, name]));
  return groups.map(({ name, members, direct_subgroup_ids: subgroups }) => {
    const inside = subgroups.map((id) => names.get(id) ?? `group ${id}`);
    const count = members.length === 1 ? '1 account' : `${members.length} accounts`;
    return `${name}: ${[count, ...inside].join(' + ')}`;
  });
}

function groupNamed(groups: readonly Group[], name: string): Group {
  const group = groups.find((one) => one.name === name);
  if (group !== undefined) return group;
  const seen = groups.map((one) => one.name).join(', ');
  throw new DemoMismatch(`There is a group ${name}`, seen);
}
