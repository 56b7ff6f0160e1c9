import { ConfigError } from './read-variables.js';
import { redisFault } from './redis-address.js';
import { sentinelAddress } from './sentinel-address.js';

/** One URL stands for a single server or a group that Sentinel watches, several for nodes of one Redis Cluster. */
interface RedisServersConfig<Variable extends string = string> {
  /** The variable that holds the URLs. */
  readonly variable: Variable | 'REDIS_URL';
  readonly urls: readonly string[];
}

type Values<Variable extends string> = {
  readonly [Name in Variable]?: readonly string[] | undefined;
} & { readonly REDIS_URL: string };

/** The URLs of a variable, or else REDIS_URL. Throws ConfigError for URLs that cannot belong to one server or one cluster. */
export function redisServersFrom<Variable extends string>(
  values: Values<Variable>,
  variable: Variable,
): RedisServersConfig<Variable> {
  const urls = redisNodesFrom(values[variable], variable);
  return urls === null ? { urls: [values.REDIS_URL], variable: 'REDIS_URL' } : { urls, variable };
}

/** The URLs of a variable; null if it is not set. Throws ConfigError as `redisServersFrom` does. */
export function redisNodesFrom(
  urls: readonly string[] | undefined,
  variable: string,
): readonly string[] | null {
  if (urls === undefined) return null;
  const fault = faultOf(urls);
  if (fault !== null) throw new ConfigError([`${variable}: ${fault}`]);
  return urls;
}

function faultOf(urls: readonly string[]): string | null {
  return formFaultOf(urls) ?? urls.map(redisFault).find((fault) => fault !== null) ?? null;
}

function formFaultOf(urls: readonly string[]): string | null {
  if (urls.length === 1 && sentinelAddress(urls[0] ?? '') !== null) return null;
  if (urls.length === 0 || !urls.every(isRedisUrl)) {
    return 'expected an address that begins with redis:// or rediss://, or several with commas between';
  }
  if (urls.length === 1) return null;
  const nodes = urls.map((url) => new URL(url));
  if (new Set(nodes.map(({ host }) => host)).size < nodes.length) {
    return 'expected each node of the cluster once';
  }
  if (new Set(nodes.map(accessOf)).size > 1) {
    return 'expected the same protocol, user and password, and the same ssl_ca_certs, for all nodes of the cluster';
  }
  if (nodes.some(({ pathname, search }) => !/^\/?0?$/.test(pathname) || !isAuthority(search))) {
    return 'expected nodes of a cluster without a database number or options';
  }
  return null;
}

const isRedisUrl = (url: string): boolean =>
  URL.canParse(url) && /^rediss?:$/.test(new URL(url).protocol) && new URL(url).hostname !== '';

const isAuthority = (search: string): boolean => /^(?:\?ssl_ca_certs=[^&]+)?$/.test(search);

const accessOf = ({ protocol, username, password, search }: URL): string =>
  [protocol, username, password, search].join(' ');
