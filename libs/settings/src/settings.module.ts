import { Module } from '@nestjs/common';

/** What users decide for their own account. */
@Module({})
export class SettingsModule {}
