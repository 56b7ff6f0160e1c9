export type { JobDeclaration, JobNameOf, PayloadOf, QueueNameOf } from './job-declaration.js';
export type { JobContext, JobHandler, JobOutcome } from './job-dispatcher.js';
export { JobQueues, type NewJob, type QueueCounts } from './job-queues.js';
export { QueueBoard, QueueBoardModule } from './queue-board.js';
export { QueueConsumerModule } from './queue-consumer.module.js';
export { QUEUE_OPTIONS, QUEUE_PREFIX, queueKeyPrefix, type QueueOptions } from './queue-options.js';
export type { ConsumedQueue } from './queue-processor.js';
export { QueueModule } from './queue.module.js';
