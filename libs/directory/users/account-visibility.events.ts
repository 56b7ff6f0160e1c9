import { Inject, Injectable, Optional } from '@nestjs/common';
import {
  type SharedPlaces,
  type VisibilityPair,
  VisibleUsersRepository,
} from '#directory/guest-access';
import { EventLog, type NewEvent } from '#events/log';
import { AccountQueues } from '#events/queues';
import { groupBy } from '#platform/core';
import type { Transaction } from '#platform/database';
import { PROFILE_DATA_READER, type ProfileDataReader } from './profile-data.js';
import { VISIBILITY_HOOK, type VisibilityHook } from './account-hooks.js';
import { UserRepository } from './user.repository.js';
import { toAddedUser } from './user.response.js';

/** Guests, and accounts with whom they share a channel or a conversation. */
interface Sharers {
  readonly realmId: number;
  readonly guestIds: readonly number[];
  readonly userIds: readonly number[];
}

/** For more pairs the guests lose their event queues, and get everything when they register again. */
const MAX_PAIRS = 1000;

/** The events for guests that may see only some accounts: which accounts they may see now, and which no longer. */
@Injectable()
export class AccountVisibilityEvents {
  constructor(
    private readonly users: UserRepository,
    private readonly visible: VisibleUsersRepository,
    private readonly queues: AccountQueues,
    private readonly log: EventLog,
    @Inject(PROFILE_DATA_READER) private readonly profiles: ProfileDataReader,
    @Optional() @Inject(VISIBILITY_HOOK) private readonly hook: VisibilityHook | null = null,
  ) {}

  /** Runs after guests and accounts have come to share these places, in that transaction. */
  async beganSharing(
    transaction: Transaction,
    sharers: Sharers,
    places: SharedPlaces,
  ): Promise<void> {
    const { realmId } = sharers;
    const pairs = await this.#pairsOf(transaction, sharers);
    if (pairs.length === 0) return;
    // Late: another transaction may end their last other place, or change one of the accounts.
    const read = (late: Transaction) => this.#shown(late, realmId, pairs, places);
    this.log.append(transaction, { realmId, read });
  }

  async #shown(
    transaction: Transaction,
    realmId: number,
    pairs: readonly VisibilityPair[],
    places: SharedPlaces,
  ): Promise<NewEvent[]> {
    const viewers = viewersByAccount(await this.visible.hiddenAmong(pairs, transaction, places));
    if (viewers.size === 0) return [];
    const ids = [...viewers.keys()];
    const users = await this.users.list(realmId, ids, transaction);
    const profileData = await this.profiles.profileDataOf(ids, transaction);
    const added = users.map((user) =>
      eventOf(realmId, { op: 'add', person: toAddedUser(user, profileData) }, viewers.get(user.id)),
    );
    const audiences = new Map([...viewers].map(([id, userIds]) => [id, { userIds }]));
    return [...added, ...((await this.hook?.shown(transaction, realmId, audiences)) ?? [])];
  }

  /** Runs after guests and accounts have ceased to share a place, in that transaction. */
  async endedSharing(transaction: Transaction, sharers: Sharers): Promise<void> {
    const { realmId } = sharers;
    const pairs = await this.#pairsOf(transaction, sharers);
    if (pairs.length === 0) return;
    // Late: another transaction may begin another place.
    this.log.append(transaction, { realmId, read: (late) => this.#hidden(late, realmId, pairs) });
  }

  async #hidden(
    transaction: Transaction,
    realmId: number,
    pairs: readonly VisibilityPair[],
  ): Promise<NewEvent[]> {
    const viewers = viewersByAccount(await this.visible.hiddenAmong(pairs, transaction));
    if (viewers.size === 0) return [];
    const users = await this.users.list(realmId, [...viewers.keys()], transaction);
    const subdomain = await this.visible.subdomainOf(realmId, transaction);
    return users.map((user) => {
      const person = { user_id: user.id, full_name: user.fullName };
      const substitute = { user_id: user.id, subdomain };
      return eventOf(realmId, { op: 'remove', person, substitute }, viewers.get(user.id));
    });
  }

  /** None if there are too many. */
  async #pairsOf(
    transaction: Transaction,
    { realmId, guestIds, userIds }: Sharers,
  ): Promise<VisibilityPair[]> {
    if (guestIds.length * userIds.length > MAX_PAIRS) {
      await this.queues.removeAll(transaction, realmId, guestIds);
      return [];
    }
    return guestIds.flatMap((viewerId) =>
      userIds.filter((otherId) => otherId !== viewerId).map((otherId) => ({ viewerId, otherId })),
    );
  }
}

const eventOf = (realmId: number, body: object, userIds: readonly number[] = []): NewEvent => ({
  realmId,
  type: 'realm_user',
  body,
  audience: { userIds },
});

const viewersByAccount = (pairs: readonly VisibilityPair[]): Map<number, readonly number[]> =>
  new Map(
    [...groupBy(pairs, ({ otherId }) => otherId)].map(([otherId, found]) => [
      otherId,
      found.map(({ viewerId }) => viewerId),
    ]),
  );
