export { RemoteDeviceRepository } from './devices/remote-device.repository.js';
export { RemoteAcceptanceRepository } from './notify/remote-acceptance.repository.js';
export {
  type RemovedDevices,
  StaleRemoteDevicesRepository,
} from './devices/stale-remote-devices.repository.js';
export { RemoteContentSealer } from './notify/remote-content-sealer.js';
export { RemoteDeliveryQueue } from './notify/remote-delivery-queue.js';
export { type RemoteResult, remoteResultTopic } from './notify/remote-results.js';
export { RemoteRealmRepository } from './realms/remote-realm.repository.js';
export { RemoteServerRepository } from './servers/remote-server.repository.js';
export { remoteErrors } from './remotes.errors.js';
export {
  type RealmOverview,
  ServerOperationsRepository,
  type ServerOverview,
  type StateCount,
  type StopChange,
} from './servers/server-operations.repository.js';
export { ServerOperationsService } from './servers/server-operations.service.js';
export {
  RemoteDeliveryModule,
  RemotesModule,
  ServerOperationsModule,
  ServerStopsModule,
} from './remotes.module.js';
