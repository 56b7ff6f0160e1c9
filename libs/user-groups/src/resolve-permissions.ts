import type { SystemGroupIds } from './system-group.repository.js';
import type { SystemGroupName } from './system-groups.js';

/** The group that has each permission: the one that is stored, or the default's where none is. */
export function resolvePermissions<Permission extends string>(
  defaults: Readonly<Record<Permission, SystemGroupName>>,
  stored: Readonly<Record<Permission, number | null>>,
  systemGroups: SystemGroupIds,
): Readonly<Record<Permission, number>> {
  // Of the keys of the defaults, which Object.keys and fromEntries forget.
  const permissions = Object.keys(defaults) as Permission[];
  return Object.fromEntries(
    permissions.map((name) => [name, stored[name] ?? systemGroups[defaults[name]]]),
  ) as Record<Permission, number>;
}
