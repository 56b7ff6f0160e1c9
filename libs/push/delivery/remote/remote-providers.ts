import { RemoteCollection } from './remote-collection.js';
import { RemoteDeliveries, RemoteDeliveryJob } from './remote-delivery.job.js';
import { RemoteMetrics } from './remote-metrics.js';
import { RemoteSender } from './remote-sender.js';
import { RemoteSweep } from './remote-sweep.js';

/** What delivers the notifications of other servers; needs RemoteDeliveryModule and the providers of a worker. */
export const remoteProviders = [
  RemoteCollection,
  RemoteDeliveries,
  RemoteDeliveryJob,
  RemoteMetrics,
  RemoteSender,
  RemoteSweep,
];
