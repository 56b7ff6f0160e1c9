import type { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { Module } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { queueNames } from '#contracts';

/** The queues as Bull Board shows them. */
export class QueueBoard {
  constructor(private readonly queues: readonly Queue[]) {
    // The connection reports its own troubles, once; unheard here they would be thrown.
    for (const queue of queues) queue.on('error', () => undefined);
  }

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

/** Offers the QueueBoard; next to QueueModule, whose connection it uses. */
@Module({
  imports: [BullModule.registerQueue(...queueNames.map((name) => ({ name })))],
  providers: [
    {
      provide: QueueBoard,
      inject: queueNames.map((name) => getQueueToken(name)),
      useFactory: (...queues: Queue[]) => new QueueBoard(queues),
    },
  ],
  exports: [QueueBoard],
})
export class QueueBoardModule {}
