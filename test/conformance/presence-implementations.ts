import type { PresenceService } from '#presence/rpc';
import type { Database } from '#platform/database';
import { PresenceClient } from '#presence/client';
import { PresenceServer } from '#presence/server';
import { startPresence } from '#test/start-presence';
import { createTestDatabase } from '#test/test-stores';

/** A presence service with its own database. */
export interface OpenPresence {
  readonly service: PresenceService;
  readonly database: Database;
  /** Advances the clock of the service. */
  passTime(milliseconds: number): void;
  close(): Promise<void>;
}

/** The options of a case. */
interface PresenceTraits {
  readonly limitsAccess?: boolean;
}

type OpenImplementation = (traits?: PresenceTraits) => Promise<OpenPresence>;

/** All implementations of PresenceService; each must pass every case. */
export const presenceImplementations: readonly (readonly [string, OpenImplementation])[] = [
  ['in process', openInProcess],
  ['through the socket', openThroughTheSocket],
];

async function openInProcess(traits: PresenceTraits = {}): Promise<OpenPresence> {
  const stores = await createTestDatabase();
  let aheadMs = 0;
  const clock = () => Date.now() + aheadMs;
  const runtime = await startPresence(stores.database, { ...traits, clock });
  return {
    service: runtime.service,
    database: stores.database,
    passTime: (milliseconds) => {
      aheadMs += milliseconds;
    },
    close: async () => {
      await runtime.stop();
      await stores.drop();
    },
  };
}

async function openThroughTheSocket(traits: PresenceTraits = {}): Promise<OpenPresence> {
  const behind = await openInProcess(traits);
  const server = new PresenceServer(behind.service);
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  const addresses = [{ host: '127.0.0.1', port }];
  const client = new PresenceClient({ addresses, deadlineMs: 5000 });
  return {
    ...behind,
    service: client,
    close: async () => {
      await client.close();
      await server.close();
      await behind.close();
    },
  };
}
