/**
 * The groups that every organisation has, from the narrowest to the widest. Whom they hold follows from
 * roles: an account stands directly in the group of its role, and each group holds the one above it.
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

export type SystemGroupName = (typeof systemGroups)[number]['name'];
