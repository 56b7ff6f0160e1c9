import { databaseAddress } from './database-address.js';
import { redisAddress } from './redis-address.js';
import { sentinelAddress } from './sentinel-address.js';
import { hostAndPort, type ServerAddress } from './server-address.js';

/**
 * Where a store is, and the variable with its addresses, for an operator: `db:5432 (DATABASE_URL)`. The text shows no
 * credentials.
 */
export function storePlace(urls: readonly string[], variable: string): string {
  return `${urls.flatMap(serversOf).map(hostAndPort).join(', ')} (${variable})`;
}

function serversOf(url: string): readonly ServerAddress[] {
  const sentinels = sentinelAddress(url);
  if (sentinels !== null) return sentinels.sentinels;
  const database = databaseAddress(url);
  if (database === null) return [redisAddress(url)];
  // An option takes precedence. It may be the folder of a socket.
  const host = new URL(database.url).searchParams.get('host');
  return host === null ? database.servers : database.servers.map(({ port }) => ({ host, port }));
}
