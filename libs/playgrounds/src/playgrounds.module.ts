import { Module } from '@nestjs/common';
import { CreatePlayground } from './create-playground.js';
import { DeletePlayground } from './delete-playground.js';
import { PlaygroundRepository } from './playground.repository.js';

/** Places on the web where code can be tried. */
@Module({
  providers: [CreatePlayground, DeletePlayground, PlaygroundRepository],
  exports: [CreatePlayground, DeletePlayground],
})
export class PlaygroundsModule {}
