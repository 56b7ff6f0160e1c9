import { slicesOf } from '#platform/core';
import type { PresenceEntry, PresenceReport } from '#presence/rules';
import type { RealmPresence } from './realm-presence.js';
import type { RealmReplica } from './realm-replica.js';
import type { UserDirectory } from './user-directory.js';

/** Activations and deactivations are written in slices of this size. */
const SLICE = 500;

type ActiveUsers = Pick<UserDirectory, 'get' | 'deactivated'>;

/**
 * Publishes deactivated and reactivated accounts. Users disappear from answers only with that change, so that it reaches
 * clients like any other change. Does nothing without a complete replica. Rejects when Redis is unavailable.
 */
export async function publishActivations(
  realm: Pick<RealmPresence, 'replica' | 'write'>,
  directory: ActiveUsers,
): Promise<void> {
  if (realm.replica?.isComplete !== true) return;
  const changes = activationChanges(realm.replica, directory);
  for (const slice of slicesOf(changes, SLICE)) await realm.write(slice);
}

/** The changes to publish so that exactly the active accounts are visible. */
export function activationChanges(
  replica: Pick<RealmReplica, 'get' | 'deactivated'>,
  directory: ActiveUsers,
): PresenceReport[] {
  const changes: PresenceReport[] = [];
  const publish = (kind: PresenceReport['kind'], entry: PresenceEntry | undefined) => {
    if (entry) changes.push({ ...entry, kind });
  };
  for (const userId of directory.deactivated) {
    if (!replica.deactivated.has(userId)) publish('deactivate', replica.get(userId));
  }
  for (const userId of replica.deactivated) {
    // A published user without an account stays deactivated: the account may have been deleted.
    if (directory.get(userId)?.isActive === true) publish('reactivate', replica.get(userId));
  }
  return changes;
}
