export {
  type RemovedDevices,
  StaleRemoteDevicesRepository,
} from './devices/stale-tenant-devices.repository.js';
export { RemoteDeviceRepository } from './devices/tenant-device.repository.js';
export { RemoteAcceptanceRepository } from './notify/tenant-acceptance.repository.js';
export { RemoteContentSealer } from './notify/tenant-content-sealer.js';
export { RemoteDeliveryQueue } from './notify/tenant-delivery-queue.js';
export { type RemoteResult, remoteResultTopic } from './notify/tenant-results.js';
export { RemoteRealmRepository } from './realms/tenant-realm.repository.js';
export {
  type RealmOverview,
  ServerOperationsRepository,
  type ServerOverview,
  type StateCount,
  type StopChange,
} from './servers/server-operations.repository.js';
export { ServerOperationsService } from './servers/server-operations.service.js';
export { RemoteServerRepository } from './servers/tenant.repository.js';
export { remoteErrors } from './tenants.errors.js';
export {
  RemoteDeliveryModule,
  RemotesModule,
  ServerOperationsModule,
  ServerStopsModule,
} from './tenants.module.js';
