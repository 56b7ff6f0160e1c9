import { Module } from '@nestjs/common';

/** Whom a user does not want to hear of. */
@Module({})
export class MutedUsersModule {}
