import type { Database } from '#platform/database';
import { PresenceRuntime, type PresenceRuntimeOptions } from '#presence/server';
import { testRedisUrl } from './test-stores.js';

/**
 * Starts a presence process inside the process of the test. It buffers reports only briefly, and writes the last
 * activity of users when it stops. The caller must `stop` it.
 */
export async function startPresence(
  database: Database,
  different: Partial<PresenceRuntimeOptions> = {},
): Promise<PresenceRuntime> {
  const runtime = new PresenceRuntime(database, {
    redisUrl: testRedisUrl(),
    batchMs: 1,
    flushSeconds: 600,
    limitsAccess: false,
    ...different,
  });
  await runtime.start();
  return runtime;
}
