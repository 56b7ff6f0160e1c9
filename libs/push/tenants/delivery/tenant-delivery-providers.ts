import { RemoteTokenCleanup } from './tenant-token-cleanup.js';
import { RemoteDeliveryJob } from './tenant-delivery.job.js';
import { RemoteDeliveryRepository } from './tenant-delivery.repository.js';
import { RemoteMetrics } from './tenant-metrics.js';
import { RemoteSender } from './tenant-sender.js';
import { RemoteSweepRepository } from './tenant-sweep.repository.js';
import { RemoteSweep } from './tenant-sweep.js';

/** The providers that deliver the notifications of tenants; need RemoteDeliveryModule and the providers of `#push/delivery`. */
export const tenantDeliveryProviders = [
  RemoteTokenCleanup,
  RemoteDeliveryJob,
  RemoteDeliveryRepository,
  RemoteMetrics,
  RemoteSender,
  RemoteSweep,
  RemoteSweepRepository,
];
