import { openCluster } from './redis-cluster.js';
import type { RedisServers } from './redis-servers.js';
import { closeRedis, openRedis, untilReady } from './redis.js';

/** The limit of a blocked command, which must be longer than what it is blocked for. */
const BLOCKED_TIMEOUT_MS = 5000;

/** Opens a server, or with several addresses the cluster that they are nodes of. The caller closes it. */
export function openRedisServers(urls: readonly string[], purpose: string): RedisServers {
  const [url = '', ...others] = urls;
  return others.length > 0
    ? openCluster(urls, purpose, BLOCKED_TIMEOUT_MS)
    : openServer(url, purpose);
}

function openServer(url: string, purpose: string): RedisServers {
  const commands = openRedis(url, purpose, { enableAutoPipelining: true });
  return {
    isCluster: false,
    commands,
    untilReady: (deadlineMs) => untilReady(commands, deadlineMs),
    blockableFor: () => {
      const redis = openRedis(url, `${purpose}-blocked`, { commandTimeout: BLOCKED_TIMEOUT_MS });
      return { run: (work) => work(redis), close: () => closeRedis(redis) };
    },
    close: () => closeRedis(commands),
  };
}
