import { RemoteTokenCleanup } from './remote-token-cleanup.js';
import { RemoteDeliveryJob } from './remote-delivery.job.js';
import { RemoteDeliveryRepository } from './remote-delivery.repository.js';
import { RemoteMetrics } from './remote-metrics.js';
import { RemoteSender } from './remote-sender.js';
import { RemoteSweepRepository } from './remote-sweep.repository.js';
import { RemoteSweep } from './remote-sweep.js';

/** The providers that deliver the notifications of other servers; need RemoteDeliveryModule and the providers of a worker. */
export const remoteProviders = [
  RemoteTokenCleanup,
  RemoteDeliveryJob,
  RemoteDeliveryRepository,
  RemoteMetrics,
  RemoteSender,
  RemoteSweep,
  RemoteSweepRepository,
];
