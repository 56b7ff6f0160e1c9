import { Inject, Injectable, Optional } from '@nestjs/common';
import { avatarUrl } from '#directory/avatars';
import {
  type SharedPlaces,
  type VisibilityPair,
  VisibleUsersRepository,
} from '#directory/guest-access';
import { EventLog } from '#events/log';
import { QueuesService } from '#events/queues';
import { roles } from '#platform/contracts';
import { groupBy } from '#platform/core';
import type { Transaction } from '#platform/database';
import { PROFILE_DATA_READER, type ProfileDataReader } from './profile-data.js';
import { SIGHT_HOOK, type SightHook } from './account-hooks.js';
import { type User, UserRepository } from './user.repository.js';
import { toUserResponse } from './user.response.js';

/** Guests and accounts that meet in a channel or in a conversation. */
export interface Meeting {
  readonly realmId: number;
  readonly guestIds: readonly number[];
  readonly userIds: readonly number[];
}

/** For more pairs the guests lose their event queues, and get everything when they register again. */
const MOST_PAIRS = 1000;

/** Sees what everyone sees of an account. */
const ANYONE = { userId: 0, role: roles.guest };

/** Tells guests that may see only some accounts which accounts they may see now, and which no longer. */
@Injectable()
export class AccountSightEvents {
  constructor(
    private readonly users: UserRepository,
    private readonly visible: VisibleUsersRepository,
    private readonly queues: QueuesService,
    private readonly log: EventLog,
    @Inject(PROFILE_DATA_READER) private readonly profiles: ProfileDataReader,
    @Optional() @Inject(SIGHT_HOOK) private readonly hook: SightHook | null = null,
  ) {}

  /** Runs after guests and accounts have come to share these places, in that transaction. */
  async met(transaction: Transaction, meeting: Meeting, places: SharedPlaces): Promise<void> {
    const pairs = await this.#pairsOf(transaction, meeting);
    if (pairs.length === 0) return;
    const shown = await this.visible.hiddenAmong(pairs, transaction, places);
    const viewers = viewersByAccount(shown);
    const accounts = await this.#read(transaction, meeting.realmId, [...viewers.keys()]);
    for (const { user, profileData } of accounts) {
      const response = toUserResponse(ANYONE, user, { clientGravatar: true, profileData });
      const person = { ...response, avatar_url: avatarUrl(user.id) };
      this.#append(transaction, meeting.realmId, { op: 'add', person }, viewers.get(user.id));
    }
    await this.hook?.shown(transaction, meeting.realmId, viewers);
  }

  /** Runs after guests and accounts have ceased to share a place, in that transaction. */
  async parted(transaction: Transaction, meeting: Meeting): Promise<void> {
    const { realmId } = meeting;
    const pairs = await this.#pairsOf(transaction, meeting);
    if (pairs.length === 0) return;
    const viewers = viewersByAccount(await this.visible.hiddenAmong(pairs, transaction));
    const accounts = await this.#read(transaction, realmId, [...viewers.keys()]);
    const subdomain =
      accounts.length === 0 ? '' : await this.visible.subdomainOf(realmId, transaction);
    for (const { user } of accounts) {
      const person = { user_id: user.id, full_name: user.fullName };
      const substitute = { user_id: user.id, subdomain };
      const body = { op: 'remove', person, substitute };
      this.#append(transaction, realmId, body, viewers.get(user.id));
    }
  }

  /** None if there are too many. */
  async #pairsOf(
    transaction: Transaction,
    { guestIds, userIds }: Meeting,
  ): Promise<VisibilityPair[]> {
    if (guestIds.length * userIds.length > MOST_PAIRS) {
      await this.queues.removeAllOf(transaction, guestIds);
      return [];
    }
    return guestIds.flatMap((viewerId) =>
      userIds.filter((otherId) => otherId !== viewerId).map((otherId) => ({ viewerId, otherId })),
    );
  }

  async #read(
    transaction: Transaction,
    realmId: number,
    ids: readonly number[],
  ): Promise<
    {
      readonly user: User;
      readonly profileData: Awaited<ReturnType<ProfileDataReader['profileDataOf']>>;
    }[]
  > {
    if (ids.length === 0) return [];
    const users = await this.users.list(realmId, ids, transaction);
    const profileData = await this.profiles.profileDataOf(ids, transaction);
    return users.map((user) => ({ user, profileData }));
  }

  #append(
    transaction: Transaction,
    realmId: number,
    body: object,
    userIds: readonly number[] = [],
  ): void {
    this.log.append(transaction, { realmId, type: 'realm_user', body, audience: { userIds } });
  }
}

const viewersByAccount = (pairs: readonly VisibilityPair[]): Map<number, readonly number[]> =>
  new Map(
    [...groupBy(pairs, ({ otherId }) => otherId)].map(([otherId, found]) => [
      otherId,
      found.map(({ viewerId }) => viewerId),
    ]),
  );
