import { ConfigError } from './read-variables.js';
import { list } from './variable-types.js';

/** Where the presence keys are, when not with everything else. */
export const presenceRedisVariables = { PRESENCE_REDIS_URL: list.optional() };

interface PresenceRedisValues {
  REDIS_URL: string;
  PRESENCE_REDIS_URL?: readonly string[] | undefined;
}

/** One address is that of a single server; several are of nodes of one Redis Cluster. */
export interface PresenceRedisConfig {
  /** The variable that the addresses come from. */
  readonly variable: 'PRESENCE_REDIS_URL' | 'REDIS_URL';
  readonly urls: readonly string[];
}

/** Throws ConfigError for addresses that cannot be those of one server or one cluster. */
export function presenceRedisFrom(values: PresenceRedisValues): PresenceRedisConfig {
  const urls = values.PRESENCE_REDIS_URL ?? [values.REDIS_URL];
  const fault = faultOf(urls);
  if (fault !== null) throw new ConfigError([`PRESENCE_REDIS_URL: ${fault}`]);
  const variable = values.PRESENCE_REDIS_URL === undefined ? 'REDIS_URL' : 'PRESENCE_REDIS_URL';
  return { urls, variable };
}

function faultOf(urls: readonly string[]): string | null {
  if (urls.length === 0 || !urls.every(isRedisUrl)) {
    return 'expected an address that begins with redis:// or rediss://, or several with commas between';
  }
  if (urls.length === 1) return null;
  const nodes = urls.map((url) => new URL(url));
  if (new Set(nodes.map(({ host }) => host)).size < nodes.length) {
    return 'expected each node of the cluster once';
  }
  if (new Set(nodes.map(accessOf)).size > 1) {
    return 'expected the same protocol, user and password for all nodes of the cluster';
  }
  if (nodes.some(({ pathname, search }) => !/^\/?0?$/.test(pathname) || search !== '')) {
    return 'expected nodes of a cluster without a database number or options';
  }
  return null;
}

const isRedisUrl = (url: string): boolean =>
  URL.canParse(url) && /^rediss?:$/.test(new URL(url).protocol) && new URL(url).hostname !== '';

const accessOf = ({ protocol, username, password }: URL): string =>
  [protocol, username, password].join(' ');
