export { RemoteAcceptanceRepository } from './notify/tenant-acceptance.repository.js';
export { RemoteContentSealer } from './notify/tenant-content-sealer.js';
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
export { tenantDeliveryProviders } from './delivery/tenant-delivery-providers.js';
export { RemoteDeliveryJob } from './delivery/tenant-delivery.job.js';
export { RemoteSweep } from './delivery/tenant-sweep.js';
export { RemoteTokenCleanup } from './delivery/tenant-token-cleanup.js';
