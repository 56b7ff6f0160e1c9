import type { BenchWorldRepository } from './bench-world.repository.js';
import { type BenchRealm, type BenchUser, createRealm } from './bench-world.js';

/** How people poll. */
export interface Pace {
  /** Everybody polls once in so many seconds. */
  readonly pollSeconds: number;
  /** Every so many seconds one of these polls refreshes the user's entry; a multiple of `pollSeconds`. */
  readonly refreshSeconds: number;
}

/** Somebody who is online. */
export interface OnlineUser extends BenchUser {
  readonly realmId: number;
  readonly host: string;
  /** When the user's entry was last refreshed, in UNIX milliseconds. */
  readonly seenAt: number;
}

/** Which organisations there are. */
export interface RealmsPlan {
  readonly subdomain: string;
  readonly realms: number;
  readonly usersEach: number;
}

/** Organisations for people who are to be online. */
export async function createRealms(
  world: BenchWorldRepository,
  { subdomain, realms, usersEach }: RealmsPlan,
): Promise<BenchRealm[]> {
  const created: BenchRealm[] = [];
  for (let number = 0; number < realms; number += 1) {
    created.push(await createRealm(world, `${subdomain}${number}`, usersEach));
  }
  return created;
}

/**
 * Has the users of new organisations be online, at a moment in UNIX milliseconds that may be to come, as if that
 * had been so for long: their entries were refreshed evenly over the time that a refresh takes to come round.
 * Resolves with the users in the order of their polls.
 */
export async function bringOnline(
  world: BenchWorldRepository,
  realms: readonly BenchRealm[],
  { pollSeconds, refreshSeconds }: Pace,
  moment: number,
): Promise<OnlineUser[]> {
  const online = realms.map(({ id, host, users }) =>
    inAnyOrder(users).map((user, index): OnlineUser => {
      const age = refreshSeconds * (1 - index / users.length);
      return { ...user, realmId: id, host, seenAt: moment - age * 1000 };
    }),
  );
  for (const [index, { id }] of realms.entries()) {
    await world.writeLastSeen(
      id,
      (online[index] ?? []).map(({ userId, seenAt }) => ({
        userId,
        at: Math.floor(seenAt / 1000),
        updateId: updateIdAt(seenAt),
      })),
    );
  }
  const sincePoll = ({ seenAt }: OnlineUser) => (moment - seenAt) % (pollSeconds * 1000);
  return online.flat().toSorted((one, other) => sincePoll(other) - sincePoll(one));
}

/** People do not come in the order of their ids, and what is in no order compresses less well. */
const inAnyOrder = <Item>(items: readonly Item[]): Item[] =>
  items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);

/** The update id that is given out at this moment, in UNIX milliseconds: cursors tell time. */
export const updateIdAt = (time: number): number => Math.floor(time * 1000);
