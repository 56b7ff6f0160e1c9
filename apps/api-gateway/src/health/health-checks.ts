import type { FactoryProvider } from '@nestjs/common';
import { Drain, type HealthCheck } from '#platform/core';
import { DatabaseHealth } from '#platform/database';
import { orOutage, REDIS, type Redis } from '#platform/redis';
import { SettingsComparison } from '#platform/shared-settings';
import { PresenceClient } from '#presence/client';
import { HEALTH_CHECKS } from './health.controller.js';

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
    // Only warnings: requests are answered without Redis and without presence. All gateways share both, so another
    // gateway would do no better.
    {
      name: 'redis',
      isWarning: true,
      check: async () => void (await orOutage(redis, redis.ping())),
    },
    { name: 'presence', isWarning: true, check: async () => checkPresence(presence) },
    settings.healthCheck,
    settings.clockCheck,
  ],
};

function checkPresence({ openConnections, addresses }: PresenceClient): void {
  if (openConnections === addresses) return;
  throw new Error(`${openConnections} of ${addresses} processes can be reached`);
}
