export { lockLedger } from './sweep/retention.repository.js';
export { PlatformPools, type PushTransports } from './platform-pools.js';
export { PushWorkerModule } from './push-worker.module.js';
export { Sweeper } from './sweep/sweeper.js';
export { LEASE_SLACK_MS } from './delivery-lease.js';
