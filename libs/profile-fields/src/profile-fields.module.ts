import { Module } from '@nestjs/common';

/** The fields of an organisation’s own that accounts can fill in. */
@Module({})
export class ProfileFieldsModule {}
