import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { UnreadableMessages } from '#platform/redis';
import type { JobDeclaration, QueueNameOf } from './job-declaration.js';
import { handlerTable, JobDispatcher, type JobHandler } from './job-dispatcher.js';
import { NoPrefetchWorker } from './no-prefetch-worker.js';
import { type ConsumedQueue, processorOf } from './queue-processor.js';

/** The queues that a program consumes, and their handlers. */
interface QueueConsumerOptions<Jobs extends JobDeclaration> {
  readonly jobs: Jobs;
  /** One server, or nodes of a cluster. */
  readonly redisUrls: readonly string[];
  readonly queues: readonly ConsumedQueue<QueueNameOf<Jobs>>[];
  /** Exactly one for each job name of the queues; provided by `imports`. */
  readonly handlers: readonly Type<JobHandler>[];
  readonly imports: NonNullable<DynamicModule['imports']>;
}

/** The BullMQ workers of a program. It needs QueueModule and RedisModule. The program does not start without a handler for each job. */
@Module({})
export class QueueConsumerModule {
  static consume<Jobs extends JobDeclaration>(options: QueueConsumerOptions<Jobs>): DynamicModule {
    const { jobs } = options;
    // For all workers of the program: Nest has no option for one of them.
    BullModule.workerClass = NoPrefetchWorker;
    return {
      module: QueueConsumerModule,
      imports: options.imports,
      providers: [
        {
          provide: JobDispatcher,
          inject: [UnreadableMessages, ...options.handlers],
          useFactory: (unreadable: UnreadableMessages, ...handlers: JobHandler[]) => {
            const queues = options.queues.map((queue) => queue.name);
            const table = handlerTable(jobs, queues, handlers);
            return new JobDispatcher(jobs.payloads, table, unreadable);
          },
        },
        ...options.queues.map((queue) => processorOf(queue, options.redisUrls)),
      ],
    };
  }
}
