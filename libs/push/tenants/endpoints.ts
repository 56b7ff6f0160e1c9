export { RemoteDevicesController } from './devices/tenant-devices.controller.js';
export { RemoteNotifyController } from './notify/notify.controller.js';
export { AnalyticsController } from './realms/analytics.controller.js';
export { RemoteServersController } from './servers/servers.controller.js';
