import { unreadableFile } from './database-address.js';
import { sentinelAddress } from './sentinel-address.js';
import type { ServerAddress } from './server-address.js';
import { UNESCAPED, isDecodable } from './url-parts.js';

/** The option of an address with the file of the authority that the server's certificate is from. */
const AUTHORITY = 'ssl_ca_certs';

const DEFAULT_PORT = 6379;

const BEGINNING = 'expected an address that begins with redis://, rediss:// or redis+sentinel://';

/**
 * The file of the authority in `rediss://host?ssl_ca_certs=file`, also of an address of Sentinels; null if the address
 * names none.
 */
export function redisAuthorityFile(url: string): string | null {
  const sentinels = sentinelAddress(url);
  if (sentinels !== null) return sentinels.authorityFile ?? null;
  return URL.canParse(url) ? new URL(url).searchParams.get(AUTHORITY) : null;
}

/** The host and port of `redis://` and `rediss://` URLs. Only in a URL an IPv6 address has brackets. */
export function redisAddress(url: string): ServerAddress {
  const { hostname, port } = new URL(url);
  return { host: hostname.replaceAll(/[[\]]/g, ''), port: Number(port || DEFAULT_PORT) };
}

/** The fault of the address of a Redis or of its Sentinels; null for a usable one. The text shows no credentials. */
export function redisFault(url: string): string | null {
  if (!isDecodable(url)) return UNESCAPED;
  if (sentinelAddress(url) === null) {
    if (!URL.canParse(url)) return /^rediss?:\/\//.test(url) ? UNESCAPED : BEGINNING;
    const { protocol, pathname } = new URL(url);
    if (!/^rediss?:$/.test(protocol)) return BEGINNING;
    if (!/^\/?\d*$/.test(pathname))
      return 'expected a number after the host: the database of Redis';
  }
  return authorityFault(url);
}

/** The fault of the file of the authority of an address; null without a fault or a file. */
function authorityFault(url: string): string | null {
  const file = redisAuthorityFile(url);
  if (file === null) return null;
  if (!url.startsWith('rediss')) return `${AUTHORITY} needs rediss:// or rediss+sentinel://`;
  return unreadableFile(new URLSearchParams({ [AUTHORITY]: file }), [AUTHORITY]);
}
