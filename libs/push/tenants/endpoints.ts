export { TenantDevicesController } from './devices/tenant-devices.controller.js';
export { TenantNotifyController } from './notify/notify.controller.js';
export { AnalyticsController } from './realms/analytics.controller.js';
export { TenantsController } from './servers/servers.controller.js';
