import type { Endpoints } from '#platform/http';
import { TenantDevicesController } from './devices/tenant-devices.controller.js';
import { TenantNotifyController } from './notify/notify.controller.js';
import { AnalyticsController } from './realms/analytics.controller.js';
import { TenantsController } from './servers/servers.controller.js';

/** Needs TenantsModule. */
export const tenantsEndpoints: Endpoints = {
  controllers: [
    AnalyticsController,
    TenantDevicesController,
    TenantNotifyController,
    TenantsController,
  ],
};
