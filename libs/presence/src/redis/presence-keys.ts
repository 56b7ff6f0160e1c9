/**
 * The keys of one realm. They share a hash tag, so that a script may use all three on Redis Cluster:
 * - entries: hash of user id to packed entry;
 * - stream: the changes, bounded, each with the id `<update id>-0`;
 * - meta: hash of `epoch`, random, drawn when the other two were made, and `top`, the last update id.
 *
 * `v1` is the form of what is packed into them: a release that changes it changes the keys, and finds
 * the realm's past in PostgreSQL.
 */
export interface RealmKeys {
  readonly entries: string;
  readonly stream: string;
  readonly meta: string;
}

export function keysOf(realmId: number): RealmKeys {
  const realm = `presence:v1:{r${realmId}}`;
  return { entries: `${realm}:entries`, stream: `${realm}:stream`, meta: `${realm}:meta` };
}
