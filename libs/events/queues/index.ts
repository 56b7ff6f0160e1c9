export { AccountQueues } from './account-queues.js';
export { DEPARTURE_HOOK, type DepartureHook } from './departures.js';
export {
  eventIdAt,
  type EventQueue,
  heartbeatId,
  MAX_FORMS,
  positionOf,
  startIdAt,
  transientIds,
} from './queue.js';
export { badQueue, queueErrors } from './queues.errors.js';
export type { CachedQueue } from './queue-cache.js';
export { QueueNotices } from './queue-notices.js';
export { QueuesModule } from './queues.module.js';
export { QueuesService } from './queues.service.js';
export { type Answered, type BegunPoll, noProgress, type QueueProgress } from './poll.js';
export { QueueInventoryModule } from './queue-inventory.module.js';
export { QueueInventoryRepository, type QueueOverview } from './queue-inventory.repository.js';
export { hasMessageQueue } from './queue.repository.js';
