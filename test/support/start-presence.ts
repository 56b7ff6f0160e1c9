import type { Database } from '#database';
import { PresenceRuntime, type PresenceRuntimeOptions } from '#presence';
import { testRedisUrl } from './test-stores.js';

/**
 * Starts what a presence process does, in the test's own: reports are not gathered for long, and when people were
 * seen is written when it is stopped. `stop` it when done.
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
