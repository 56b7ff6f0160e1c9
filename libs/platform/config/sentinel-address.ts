import type { ServerAddress } from './server-address.js';

/** The primary of a group that Redis Sentinel watches. */
interface SentinelAddress {
  readonly sentinels: readonly ServerAddress[];
  /** The name of the group. */
  readonly name: string;
  readonly username?: string;
  readonly password?: string;
  readonly database: number;
  readonly isEncrypted: boolean;
  /** The file of the authority that the servers' certificates are from; without it, one that Node trusts. */
  readonly authorityFile?: string;
}

const PATTERN =
  /^(rediss?)\+sentinel:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^@/?#]+)\/([\w.-]+)(?:\/(\d+))?(?:\?ssl_ca_certs=([^&#]+))?$/;
const DEFAULT_PORT = 26_379;
const HOST = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i;

/**
 * The parts of `redis+sentinel://user:password@host:port,host:port/name/database?ssl_ca_certs=file`; null for another
 * address. User and password are those of Redis.
 */
export function sentinelAddress(url: string): SentinelAddress | null {
  const [, protocol, user = '', password = '', hosts = '', name = '', database = '0', file] =
    PATTERN.exec(url) ?? [];
  const parts = hosts.split(',').map((host) => HOST.exec(host));
  const sentinels = parts.flatMap((part) => {
    const host = part?.[1] ?? part?.[2];
    return host === undefined ? [] : [{ host, port: Number(part?.[3] ?? DEFAULT_PORT) }];
  });
  if (protocol === undefined || sentinels.length < parts.length) return null;
  return {
    sentinels,
    name,
    ...(user !== '' && { username: decodeURIComponent(user) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    database: Number(database),
    isEncrypted: protocol === 'rediss',
    ...(file !== undefined && { authorityFile: decodeURIComponent(file) }),
  };
}
