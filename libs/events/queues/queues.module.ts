import { Module } from '@nestjs/common';
import { QueueRepository } from './queue.repository.js';
import { QueueStateStore } from './queue-state.store.js';
import { QueuesService } from './queues.service.js';

/** The queues of clients; needs DatabaseModule, RedisModule and LimitsModule. */
@Module({
  providers: [QueueRepository, QueueStateStore, QueuesService],
  exports: [QueuesService],
})
export class QueuesModule {}
