import type { BenchWorldRepository } from './bench-world.repository.js';
import { type BenchRealm, type BenchUser, createRealm } from './bench-world.js';

/** The rate of polls. */
export interface Pace {
  /** Each user polls once in this time. */
  readonly pollSeconds: number;
  /** One poll in this time refreshes the entry of the user. A multiple of `pollSeconds`. */
  readonly refreshSeconds: number;
}

/** A user who is online. */
export interface OnlineUser extends BenchUser {
  readonly realmId: number;
  readonly host: string;
  /** The time of the last refresh of the entry, in UNIX milliseconds. */
  readonly seenAt: number;
}

/** The number and size of the organisations. */
export interface RealmsPlan {
  readonly subdomain: string;
  readonly realms: number;
  readonly usersEach: number;
}

/** Creates organisations for users who will be online. */
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
 * Brings the users of new organisations online as of a time in UNIX milliseconds, which may be in the future. Their
 * entries look as if they had been refreshed evenly over the last refresh period. Resolves with the users in the order
 * of their polls.
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

/** A random order. Users do not poll in the order of their ids, and the order affects compression. */
const inAnyOrder = <Item>(items: readonly Item[]): Item[] =>
  items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);

/** The update id of a time in UNIX milliseconds. Update ids contain the time. */
export const updateIdAt = (time: number): number => Math.floor(time * 1000);
