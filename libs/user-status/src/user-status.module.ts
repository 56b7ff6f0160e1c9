import { Module } from '@nestjs/common';

/** What users say of themselves beside their name. */
@Module({})
export class UserStatusModule {}
