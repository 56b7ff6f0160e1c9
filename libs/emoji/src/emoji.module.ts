import { Module } from '@nestjs/common';

/** The emoji that a status or a reaction may have. */
@Module({})
export class EmojiModule {}
