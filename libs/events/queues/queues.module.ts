import { Module } from '@nestjs/common';
import { QueueCache } from './queue-cache.js';
import { QueueNotices } from './queue-notices.js';
import { QueueRepository } from './queue.repository.js';
import { QueueStateStore } from './queue-state.store.js';
import { QueuesService } from './queues.service.js';
import { RecentPolls } from './recent-polls.js';

/** The queues of clients; needs DatabaseModule, RedisModule and LimitsModule. */
@Module({
  providers: [
    QueueCache,
    QueueNotices,
    QueueRepository,
    QueueStateStore,
    QueuesService,
    RecentPolls,
  ],
  exports: [QueueNotices, QueuesService],
})
export class QueuesModule {}
