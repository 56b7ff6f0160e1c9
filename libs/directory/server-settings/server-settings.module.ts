import { Module } from '@nestjs/common';
import { RealmsModule } from '#directory/realms';
import { ServerSettingsService } from './server-settings.service.js';

/** The settings that clients read before the sign-in; needs AuthModule, DatabaseModule and a PUSH_AVAILABILITY. */
@Module({
  imports: [RealmsModule],
  providers: [ServerSettingsService],
  exports: [ServerSettingsService],
})
export class ServerSettingsModule {}
