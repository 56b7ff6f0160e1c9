import type { PresenceService } from '#contracts';
import type { Database } from '#database';
import { PresenceClient, PresenceRuntime, PresenceServer } from '#presence';
import { testRedisUrl } from '../support/test-stores.js';

export interface OpenPresence {
  readonly service: PresenceService;
  close(): Promise<void>;
}

/** What the cases set up differently. */
interface PresenceTraits {
  readonly limitsAccess?: boolean;
  readonly clock?: () => number;
}

export type OpenImplementation = (
  database: Database,
  traits?: PresenceTraits,
) => Promise<OpenPresence>;

/** Everything that serves PresenceService; each must pass every case. */
export const presenceImplementations: readonly (readonly [string, OpenImplementation])[] = [
  ['in process', openInProcess],
  ['through the socket', openThroughTheSocket],
];

async function openInProcess(
  database: Database,
  traits: PresenceTraits = {},
): Promise<OpenPresence> {
  const options = { redisUrl: testRedisUrl(), batchMs: 1, flushSeconds: 600, limitsAccess: false };
  const runtime = new PresenceRuntime(database, { ...options, ...traits });
  await runtime.start();
  return { service: runtime.service, close: () => runtime.stop() };
}

async function openThroughTheSocket(
  database: Database,
  traits: PresenceTraits = {},
): Promise<OpenPresence> {
  const behind = await openInProcess(database, traits);
  const server = new PresenceServer(behind.service);
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  const addresses = [{ host: '127.0.0.1', port }];
  const client = new PresenceClient({ addresses, deadlineMs: 5000 });
  return {
    service: client,
    close: async () => {
      await client.close();
      await server.close();
      await behind.close();
    },
  };
}
