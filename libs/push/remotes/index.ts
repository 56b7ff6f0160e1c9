export { RemoteContentSealer } from './notify/remote-content-sealer.js';
export { RemoteDeliveryQueue, type RemoteRetry } from './notify/remote-delivery-queue.js';
export {
  type RemoteClaim,
  RemoteDeliveryRepository,
  type RemoteRecord,
} from './notify/remote-delivery.repository.js';
export { type RemoteResult, remoteResultTopic } from './notify/remote-results.js';
export { RemoteSweepRepository } from './notify/remote-sweep.repository.js';
export { remoteErrors } from './remotes.errors.js';
export { RemoteDeliveryModule, RemotesModule } from './remotes.module.js';
