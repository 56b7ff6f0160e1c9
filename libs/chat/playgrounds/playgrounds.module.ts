import { Module } from '@nestjs/common';
import { PlaygroundRepository } from './playground.repository.js';
import { PlaygroundsService } from './playgrounds.service.js';

@Module({
  providers: [PlaygroundRepository, PlaygroundsService],
  exports: [PlaygroundsService],
})
export class PlaygroundsModule {}
