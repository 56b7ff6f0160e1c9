import { Module } from '@nestjs/common';
import { QueueInventoryRepository } from './queue-inventory.repository.js';

/** The queues for operators; needs DatabaseModule. */
@Module({ providers: [QueueInventoryRepository], exports: [QueueInventoryRepository] })
export class QueueInventoryModule {}
