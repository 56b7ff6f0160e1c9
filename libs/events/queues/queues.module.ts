import { Module } from '@nestjs/common';
import { EventLogModule } from '#events/log';
import { AccountQueues } from './account-queues.js';
import { Departures } from './departures.js';
import { QueueCache } from './queue-cache.js';
import { QueueNotices } from './queue-notices.js';
import { QueueRepository } from './queue.repository.js';
import { QueueStateStore } from './queue-state.store.js';
import { QueuesService } from './queues.service.js';
import { RecentPolls } from './recent-polls.js';

/** The queues of clients; needs DatabaseModule and RedisModule. */
@Module({
  imports: [EventLogModule],
  providers: [
    AccountQueues,
    Departures,
    QueueCache,
    QueueNotices,
    QueueRepository,
    QueueStateStore,
    QueuesService,
    RecentPolls,
  ],
  exports: [AccountQueues, QueueNotices, QueuesService],
})
export class QueuesModule {}
