/**
 * The keys of one realm:
 * - entries: hash of user id to packed entry;
 * - stream: the changes, bounded, each with the id `<update id>-0`;
 * - meta: hash of `epoch`, random, drawn when the other two were made, of `top`, the last update id, and of
 *   `lineage`, the history of Redis that the epoch belongs to.
 *
 * All keys of a shard share a hash tag, and so a slot of Redis Cluster: a script may use all three of a
 * realm, and one blocking read follows all realms of a shard.
 *
 * `v2` is the form of what is packed into them, and the number of shards: a release that changes either
 * changes the keys, and finds the realm's past in PostgreSQL.
 */
export interface RealmKeys {
  readonly entries: string;
  readonly stream: string;
  readonly meta: string;
}

const SHARDS = 16;

/** Every shard; on Redis Cluster each is a slot of its own. */
export const shards: readonly number[] = Array.from({ length: SHARDS }, (_, shard) => shard);

/** The shard that a realm belongs to. */
export const shardOf = (realmId: number): number => realmId % SHARDS;

const prefixOf = (shard: number): string => `presence:v2:{p${shard}}`;

/** What stands for all keys of a shard where its slot is asked for. */
export const slotKeyOf = (shard: number): string => prefixOf(shard);

export function keysOf(realmId: number): RealmKeys {
  const realm = `${prefixOf(shardOf(realmId))}:${realmId}`;
  return { entries: `${realm}:entries`, stream: `${realm}:stream`, meta: `${realm}:meta` };
}
