import { Module } from '@nestjs/common';
import { EventLogModule } from '#events/log';
import { AccountGroupsRepository } from './account-groups.repository.js';
import { GroupMembershipRepository } from './group-membership.repository.js';
import { GroupSettingRepository } from './group-setting.repository.js';
import { PermissionHoldersRepository } from './permission-holders.repository.js';
import { SubgroupRepository } from './subgroup.repository.js';
import { SubgroupsService } from './subgroups.service.js';
import { SystemGroupRepository } from './system-group.repository.js';
import { UserGroupRepository } from './user-group.repository.js';
import { UserGroupEvents } from './user-groups.events.js';
import { UserGroupsService } from './user-groups.service.js';

/** User groups and the permissions that depend on them. */
@Module({
  imports: [EventLogModule],
  providers: [
    AccountGroupsRepository,
    SubgroupsService,
    UserGroupEvents,
    UserGroupsService,
    GroupMembershipRepository,
    GroupSettingRepository,
    PermissionHoldersRepository,
    SubgroupRepository,
    SystemGroupRepository,
    UserGroupRepository,
  ],
  exports: [
    SubgroupsService,
    UserGroupEvents,
    UserGroupsService,
    GroupMembershipRepository,
    GroupSettingRepository,
    PermissionHoldersRepository,
    SystemGroupRepository,
  ],
})
export class UserGroupsModule {}
