import { Module } from '@nestjs/common';
import { BotStorageRepository } from './bot-storage.repository.js';
import { BotStorageService } from './bot-storage.service.js';

/** The storage of bots; needs DatabaseModule. */
@Module({
  providers: [BotStorageRepository, BotStorageService],
  exports: [BotStorageService],
})
export class BotStorageModule {}
