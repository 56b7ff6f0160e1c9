import type { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { Module } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { QUEUES, type Queues } from './job-queues.js';

/** The queues as Bull Board shows them. */
export class QueueBoard {
  constructor(private readonly queues: readonly Queue[]) {}

  /**
   * One adapter a queue, for looking only: a job is a wake-up, so that taking one away or adding one by
   * hand changes nothing that the ledger would not put right again.
   */
  async adapters(): Promise<BullMQAdapter[]> {
    // Who shows no board does not load what shows it.
    const { BullMQAdapter: Adapter } = await import('@bull-board/api/bullMQAdapter');
    return this.queues.map((queue) => new Adapter(queue, { readOnlyMode: true }));
  }
}

/** Offers the QueueBoard; next to QueueModule, whose queues it shows. */
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
