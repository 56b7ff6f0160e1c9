import type { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { Module } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { QUEUES, type Queues } from './job-queues.js';

/** The queues for Bull Board. */
export class QueueBoard {
  constructor(private readonly queues: readonly Queue[]) {}

  /** One read-only adapter for each queue: jobs are only wake-ups, so that nothing needs a manual repair. */
  async adapters(): Promise<BullMQAdapter[]> {
    // Loaded only by programs that show the board.
    const { BullMQAdapter: Adapter } = await import('@bull-board/api/bullMQAdapter');
    return this.queues.map((queue) => new Adapter(queue, { readOnlyMode: true }));
  }
}

/** Provides the QueueBoard. It needs QueueModule. */
@Module({
  providers: [
    {
      provide: QueueBoard,
      inject: [QUEUES],
      useFactory: (queues: Queues) => new QueueBoard(Object.values(queues)),
    },
  ],
  exports: [QueueBoard],
})
export class QueueBoardModule {}
