export type { JobContext, JobHandler, JobOutcome } from './job-handler.js';
export { JobQueues, type NewJob, type QueueCounts } from './job-queues.js';
export { type Listener, Messages, type Topic } from './messages.js';
export { QueueBoard, QueueBoardModule } from './queue-board.js';
export { QueueConsumerModule, type QueueConsumerOptions } from './queue-consumer.module.js';
export type { ConsumedQueue } from './queue-processor.js';
export { QUEUE_PREFIX, queueKeyPrefix } from './queue-options.js';
export { QueueModule } from './queue.module.js';
