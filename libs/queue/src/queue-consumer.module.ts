import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { handlerTable } from './handler-table.rules.js';
import { JobDispatcher } from './job-dispatcher.js';
import type { JobHandler } from './job-handler.js';
import { type ConsumedQueue, processorOf } from './queue-processor.js';
import { UnreadableMessages } from './unreadable-messages.js';

/** What a program consumes, and with what. */
export interface QueueConsumerOptions {
  readonly redisUrl: string;
  readonly queues: readonly ConsumedQueue[];
  /** Exactly one for each job name of the queues; provided by `imports`. */
  readonly handlers: readonly Type<JobHandler>[];
  readonly imports: NonNullable<DynamicModule['imports']>;
}

/** The workers of a program, next to QueueModule. It does not start when handlers are wanting. */
@Module({})
export class QueueConsumerModule {
  static consume(options: QueueConsumerOptions): DynamicModule {
    return {
      module: QueueConsumerModule,
      imports: options.imports,
      providers: [
        {
          provide: JobDispatcher,
          inject: [UnreadableMessages, ...options.handlers],
          useFactory: (unreadable: UnreadableMessages, ...handlers: JobHandler[]) => {
            const queues = options.queues.map((queue) => queue.name);
            return new JobDispatcher(handlerTable(queues, handlers), unreadable);
          },
        },
        ...options.queues.map((queue) => processorOf(queue, options.redisUrl)),
      ],
    };
  }
}
