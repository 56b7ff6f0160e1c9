import { Module } from '@nestjs/common';

/** Places on the web where code can be tried. */
@Module({})
export class PlaygroundsModule {}
