/**
 * The keys of one realm. They share a hash tag, so that a script may use all three on Redis Cluster:
 * - entries: hash of user id to packed entry;
 * - stream: the changes, bounded, each with the id `<update id>-0`;
 * - meta: hash of `epoch`, random, drawn when the other two were made, and `top`, the last update id.
 */
export interface RealmKeys {
  readonly entries: string;
  readonly stream: string;
  readonly meta: string;
}

export function keysOf(realmId: number): RealmKeys {
  const realm = `presence:{r${realmId}}`;
  return { entries: `${realm}:entries`, stream: `${realm}:stream`, meta: `${realm}:meta` };
}
