/**
 * The keys of one realm:
 * - entries: hash of user id to packed entry;
 * - stream: the changes, bounded, each with the id `<update id>-0`;
 * - meta: hash of `epoch` (a random number, drawn when the realm is created), `top` (the last update id) and `chain` (a
 *   hash of all changes up to `top`).
 *
 * All keys of a shard share a hash tag, and so a slot of Redis Cluster: one script can use all keys of a realm, and one
 * blocking read can follow all realms of a shard.
 *
 * `v2` is the version of the packed layouts and of the number of shards. A release that changes either changes the keys,
 * and restores the realms from PostgreSQL.
 */
interface RealmKeys {
  readonly entries: string;
  readonly stream: string;
  readonly meta: string;
}

const SHARDS = 16;

/** All shards; on Redis Cluster, each is one slot. */
export const shards: readonly number[] = Array.from({ length: SHARDS }, (_, shard) => shard);

/** The shard that a realm belongs to. */
export const shardOf = (realmId: number): number => realmId % SHARDS;

/** A key in the slot of a shard, and the prefix of all its keys. */
export const slotKeyOf = (shard: number): string => `presence:v2:{p${shard}}`;

/** The key of a process's mark in a shard; see ProcessMarks. */
export const markKeyOf = (shard: number, processName: string): string =>
  `${slotKeyOf(shard)}:mark:${processName}`;

/** The keys of a realm, in the slot of its shard. */
export function keysOf(realmId: number): RealmKeys {
  const realm = `${slotKeyOf(shardOf(realmId))}:${realmId}`;
  return { entries: `${realm}:entries`, stream: `${realm}:stream`, meta: `${realm}:meta` };
}
