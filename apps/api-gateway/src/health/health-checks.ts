import type { FactoryProvider } from '@nestjs/common';
import { Drain, type HealthCheck } from '#platform/core';
import { DatabaseHealth } from '#platform/database';
import { orOutage, REDIS, type Redis } from '#platform/redis';
import { SettingsComparison } from '#platform/shared-settings';
import { PresenceClient } from '#presence/client';
import { HEALTH_CHECKS } from './health.controller.js';

const WRITTEN_LIFE_MS = 60_000;

/** The readiness checks for a load balancer. A gateway is not ready if nearly every request would fail. */
export const healthChecks: FactoryProvider<readonly HealthCheck[]> = {
  provide: HEALTH_CHECKS,
  inject: [DatabaseHealth, REDIS, PresenceClient, Drain, SettingsComparison],
  useFactory: (
    database: DatabaseHealth,
    redis: Redis,
    presence: PresenceClient,
    drain: Drain,
    settings: SettingsComparison,
  ) => [
    database.postgresql,
    database.schema,
    drain.healthCheck,
    // Only warnings: many requests are answered without Redis, without presence, and while PostgreSQL is read-only. All
    // gateways share them, so another gateway would do no better.
    { ...database.writes, isWarning: true },
    { name: 'redis', isWarning: true, check: () => checkRedis(redis) },
    { name: 'presence', isWarning: true, check: async () => checkPresence(presence) },
    settings.healthCheck,
    settings.clockCheck,
  ],
};

/** Writes, because Redis answers a ping also when it is full or a replica. */
async function checkRedis(redis: Redis): Promise<void> {
  await orOutage(redis, redis.set('carillon:gateway-written', 1, 'PX', WRITTEN_LIFE_MS));
}

function checkPresence({ openConnections, addresses }: PresenceClient): void {
  if (openConnections === addresses) return;
  throw new Error(`${openConnections} of ${addresses} processes can be reached`);
}
