import type { Mirror } from '../mirror/mirror.js';
import type { PresenceReport } from '../state/merge.rules.js';
import type { PresenceEntry } from '../state/presence-entry.js';
import type { UserDirectory } from './user-directory.js';

/** What has to be published so that those and only those are told of whose accounts are in use. */
export function activationChanges(
  mirror: Pick<Mirror, 'get' | 'deactivated'>,
  directory: Pick<UserDirectory, 'get' | 'deactivated'>,
): PresenceReport[] {
  const changes: PresenceReport[] = [];
  const publish = (kind: PresenceReport['kind'], entry: PresenceEntry | undefined) => {
    if (entry) changes.push({ ...entry, kind });
  };
  for (const userId of directory.deactivated) {
    if (!mirror.deactivated.has(userId)) publish('deactivate', mirror.get(userId));
  }
  for (const userId of mirror.deactivated) {
    // Of whom nothing is known stays as published: the account may be gone altogether.
    if (directory.get(userId)?.isActive === true) publish('reactivate', mirror.get(userId));
  }
  return changes;
}
