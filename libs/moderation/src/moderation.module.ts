import { Module } from '@nestjs/common';

/** Reports to moderators. */
@Module({})
export class ModerationModule {}
