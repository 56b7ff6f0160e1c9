export {
  eventIdAt,
  type EventQueue,
  heartbeatId,
  MAX_FORMS,
  positionOf,
  startIdAt,
  transientIds,
} from './queue.js';
export { queueErrors } from './queues.errors.js';
export type { PollStart } from './queue-state.store.js';
export { QueuesModule } from './queues.module.js';
export { type BegunPoll, QueuesService } from './queues.service.js';
export { QueueInventoryModule } from './queue-inventory.module.js';
export { QueueInventoryRepository, type QueueOverview } from './queue-inventory.repository.js';
