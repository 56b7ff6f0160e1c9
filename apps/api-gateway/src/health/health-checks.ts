import type { FactoryProvider } from '@nestjs/common';
import type { HealthCheck } from '#core';
import { Database } from '#database';
import { PresenceClient } from '#presence';
import { REDIS, type Redis } from '#redis';
import { HEALTH_CHECKS } from './health.controller.js';

/** What the gateway says of its own health. */
export const healthChecks: FactoryProvider<readonly HealthCheck[]> = {
  provide: HEALTH_CHECKS,
  inject: [Database, REDIS, PresenceClient],
  useFactory: (database: Database, redis: Redis, presence: PresenceClient) => [
    { name: 'postgresql', check: () => database.ping() },
    { name: 'redis', check: async () => void (await redis.ping()) },
    // Every request is answered without presence too.
    { name: 'presence', isWarning: true, check: async () => checkPresence(presence) },
  ],
};

function checkPresence({ openConnections, addresses }: PresenceClient): void {
  if (openConnections === addresses) return;
  throw new Error(`${openConnections} of ${addresses} processes can be reached`);
}
