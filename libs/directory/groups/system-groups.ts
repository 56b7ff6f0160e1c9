/**
 * The groups that every organisation has, from the smallest to the largest. Their members follow from roles: an account
 * is a direct member of the group of its role, and each group contains the group before it.
 */
export const systemGroups = [
  { name: 'role:owners', description: 'The owners of the organization', subgroup: null },
  {
    name: 'role:administrators',
    description: 'Administrators and owners',
    subgroup: 'role:owners',
  },
  {
    name: 'role:moderators',
    description: 'Moderators and everyone above them',
    subgroup: 'role:administrators',
  },
  {
    name: 'role:fullmembers',
    description: 'Members who are past the waiting period, and everyone above them',
    subgroup: 'role:moderators',
  },
  { name: 'role:members', description: 'Everyone but guests', subgroup: 'role:fullmembers' },
  {
    name: 'role:everyone',
    description: 'Everyone in the organization, guests included',
    subgroup: 'role:members',
  },
  { name: 'role:internet', description: 'Anyone on the internet', subgroup: 'role:everyone' },
  { name: 'role:nobody', description: 'No one at all', subgroup: null },
] as const;

/** The names that clients show in place of those of the groups. */
const SHOWN_NAMES: ReadonlyMap<string, string> = new Map([
  ['role:owners', 'Owners'],
  ['role:administrators', 'Administrators'],
  ['role:moderators', 'Moderators'],
  ['role:fullmembers', 'Full members'],
  ['role:members', 'Members'],
  ['role:everyone', 'Everyone'],
  ['role:internet', 'Everyone on the internet'],
  ['role:nobody', 'Nobody'],
]);

/** The name that a mention of a group shows. */
export const shownGroupName = (name: string): string => SHOWN_NAMES.get(name) ?? name;

export type SystemGroupName = (typeof systemGroups)[number]['name'];
