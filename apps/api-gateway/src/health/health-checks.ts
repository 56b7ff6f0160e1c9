import type { FactoryProvider } from '@nestjs/common';
import { Drain, type HealthCheck } from '#core';
import { DatabaseHealth } from '#database';
import { PresenceClient } from '#presence';
import { REDIS, type Redis } from '#redis';
import { HEALTH_CHECKS } from './health.controller.js';

/** What a balancer goes by: a gateway is not ready when nearly every request to it would fail. */
export const healthChecks: FactoryProvider<readonly HealthCheck[]> = {
  provide: HEALTH_CHECKS,
  inject: [DatabaseHealth, REDIS, PresenceClient, Drain],
  useFactory: (database: DatabaseHealth, redis: Redis, presence: PresenceClient, drain: Drain) => [
    database.postgresql,
    database.schema,
    drain.healthCheck,
    // Requests are answered without Redis and without presence. All gateways share both, so that no other gateway
    // would do better.
    { name: 'redis', isWarning: true, check: async () => void (await redis.ping()) },
    { name: 'presence', isWarning: true, check: async () => checkPresence(presence) },
  ],
};

function checkPresence({ openConnections, addresses }: PresenceClient): void {
  if (openConnections === addresses) return;
  throw new Error(`${openConnections} of ${addresses} processes can be reached`);
}
