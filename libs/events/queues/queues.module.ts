import { Module } from '@nestjs/common';
import { PollEnds } from './poll-ends.js';
import { QueueCache } from './queue-cache.js';
import { QueueRepository } from './queue.repository.js';
import { QueueStateStore } from './queue-state.store.js';
import { QueuesService } from './queues.service.js';

/** The queues of clients; needs DatabaseModule, RedisModule and LimitsModule. */
@Module({
  providers: [PollEnds, QueueCache, QueueRepository, QueueStateStore, QueuesService],
  exports: [QueuesService],
})
export class QueuesModule {}
