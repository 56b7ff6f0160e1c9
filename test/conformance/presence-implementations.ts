import type { PresenceService } from '#contracts';
import type { Database } from '#database';
import { PresenceClient, PresenceServer } from '#presence';
import { startPresence } from '../support/start-presence.js';
import { createTestDatabase } from '../support/test-stores.js';

/** A presence service with a database of its own. */
export interface OpenPresence {
  readonly service: PresenceService;
  readonly database: Database;
  /** Puts the clock of the service forward: brings on what happens as time passes. */
  passTime(milliseconds: number): void;
  close(): Promise<void>;
}

/** What the cases set up differently. */
interface PresenceTraits {
  readonly limitsAccess?: boolean;
}

export type OpenImplementation = (traits?: PresenceTraits) => Promise<OpenPresence>;

/** Everything that serves PresenceService; each must pass every case. */
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
