import { Module } from '@nestjs/common';
import { UserGroupsModule } from '#directory/groups';
import { EventLogModule } from '#events/log';
import { OperatorSettingsService } from './operator-settings.service.js';
import { RealmPermissionsService } from './realm-permissions.service.js';
import { RealmsModule } from './realms.module.js';

/** The settings of organisations that no endpoint changes; needs DatabaseModule. */
@Module({
  imports: [EventLogModule, RealmsModule, UserGroupsModule],
  providers: [OperatorSettingsService, RealmPermissionsService],
  exports: [OperatorSettingsService],
})
export class RealmOperatorModule {}
