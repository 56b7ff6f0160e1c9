import { TenantTokenCleanup } from './tenant-token-cleanup.js';
import { TenantDeliveryJob } from './tenant-delivery.job.js';
import { TenantDeliveryRepository } from './tenant-delivery.repository.js';
import { TenantMetrics } from './tenant-metrics.js';
import { TenantSender } from './tenant-sender.js';
import { TenantSweepRepository } from './tenant-sweep.repository.js';
import { TenantSweep } from './tenant-sweep.js';

/** The providers that deliver the notifications of tenants; need TenantDeliveryModule and the providers of `#push/delivery`. */
export const tenantDeliveryProviders = [
  TenantTokenCleanup,
  TenantDeliveryJob,
  TenantDeliveryRepository,
  TenantMetrics,
  TenantSender,
  TenantSweep,
  TenantSweepRepository,
];
