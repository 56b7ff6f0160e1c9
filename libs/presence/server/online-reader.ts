import type { Clock } from '#platform/core';
import type {
  RealmPresence,
  RealmRegistry,
  UserDirectories,
  UserDirectory,
} from '#presence/replica';
import {
  type OnlineQuery,
  type OnlineReading,
  type OnlineUser,
  REALM_NOT_LOADED,
} from '#presence/rpc';
import { isOnline, type PresenceEntry, type PresenceTiming, updateIdAt } from '#presence/rules';
import type { AccessLimits } from './access-limits.js';

/** A reading has at most the newest of them: where more come online, clients learn of them with their next poll. */
const MAX_USERS = 200;

/** For the differences of clocks. */
const CLOCK_SLACK_SECONDS = 60;

/** Reads which users came online, for events. */
export class OnlineReader {
  constructor(
    private readonly realms: Pick<RealmRegistry, 'of'>,
    private readonly directories: Pick<UserDirectories, 'of'>,
    private readonly access: Pick<AccessLimits, 'limitsFor'>,
    private readonly clock: Clock,
    private readonly timing: PresenceTiming,
  ) {}

  /** See PresenceService. Rejects while the realm is being loaded. */
  async read(query: OnlineQuery): Promise<OnlineReading> {
    const realm = this.realms.of(query.realmId);
    const directory = this.directories.of(query.realmId);
    const [limits] = await Promise.all([
      this.access.limitsFor(query, { showsAddresses: true }),
      directory.ready(query.userId),
      realm.ready(),
    ]);
    await this.#untilKnown(query, realm, directory);
    const replica = await realm.caughtUpReplica();
    if (replica?.isComplete !== true) throw new Error(REALM_NOT_LOADED);
    // No await from here on: the revision is recorded as served.
    const users: OnlineUser[] = [];
    let { position } = replica;
    for (const { onlineId, shown } of this.#online(query, realm)) {
      const { userId, activeAt, idleAt } = shown;
      if (limits !== null && !limits.visibleUsers.has(userId)) continue;
      const user = directory.get(userId);
      if (user?.isActive === true) {
        users.push({ userId, email: user.email, activeAt, idleAt, onlineId });
      } else if (directory.isStillToRead(userId, onlineId)) {
        position = Math.min(position, onlineId - 1);
      }
    }
    for (const userId of [query.userId, ...query.furtherViewers]) {
      realm.served.record(userId, replica.revision, this.clock());
    }
    return {
      users: users.toSorted((a, b) => a.onlineId - b.onlineId).slice(-MAX_USERS),
      position,
    };
  }

  /** A new account is not in the directory before the next read. */
  async #untilKnown(
    query: OnlineQuery,
    realm: RealmPresence,
    directory: UserDirectory,
  ): Promise<void> {
    for (const { shown } of this.#online(query, realm)) {
      if (directory.get(shown.userId) !== undefined) continue;
      await directory.ready(shown.userId);
      return;
    }
  }

  /** The users who came online above an update id and are online, as viewers see them. */
  *#online(
    { aboveId }: OnlineQuery,
    realm: RealmPresence,
  ): Generator<{ readonly onlineId: number; readonly shown: PresenceEntry }> {
    const nowSeconds = this.clock() / 1000;
    // Ids are not below the times of their entries: older entries are of users who are not online.
    const oldestSeconds = nowSeconds - this.timing.offlineThresholdSeconds - CLOCK_SLACK_SECONDS;
    const oldestId = updateIdAt(oldestSeconds * 1000);
    let node = realm.replica?.newest;
    for (; node && node.entry.id > Math.max(aboveId, oldestId); node = node.older) {
      const onlineId = realm.onlineIds.idOf(node.entry);
      if (onlineId <= aboveId) continue;
      // An answer to the user itself may already contain the later change.
      const shown = realm.unappliedChange(node.entry.userId) ?? node.shown;
      if (isOnline(shown, this.timing, nowSeconds)) yield { onlineId, shown };
    }
  }
}
