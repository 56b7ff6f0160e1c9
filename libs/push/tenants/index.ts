export { TenantAcceptanceRepository } from './notify/tenant-acceptance.repository.js';
export { TenantContentSealer } from './notify/tenant-content-sealer.js';
export { TenantRealmRepository } from './realms/tenant-realm.repository.js';
export {
  type RealmOverview,
  ServerOperationsRepository,
  type ServerOverview,
  type StateCount,
  type StopChange,
} from './servers/server-operations.repository.js';
export { ServerOperationsService } from './servers/server-operations.service.js';
export { TenantRepository } from './servers/tenant.repository.js';
export { tenantErrors } from './tenants.errors.js';
export {
  TenantDeliveryModule,
  TenantsModule,
  ServerOperationsModule,
  ServerStopsModule,
} from './tenants.module.js';
export { tenantDeliveryProviders } from './delivery/tenant-delivery-providers.js';
export { TenantDeliveryJob } from './delivery/tenant-delivery.job.js';
export { TenantSweep } from './delivery/tenant-sweep.js';
export { TenantTokenCleanup } from './delivery/tenant-token-cleanup.js';
