import { Module } from '@nestjs/common';
import { GroupMembershipRepository } from './group-membership.repository.js';
import { GroupSettingRepository } from './group-setting.repository.js';
import { SubgroupRepository } from './subgroup.repository.js';
import { SystemGroupRepository } from './system-group.repository.js';
import { UserGroupRepository } from './user-group.repository.js';
import { UserGroupsService } from './user-groups.service.js';

/** User groups and the permissions that depend on them. */
@Module({
  providers: [
    UserGroupsService,
    GroupMembershipRepository,
    GroupSettingRepository,
    SubgroupRepository,
    SystemGroupRepository,
    UserGroupRepository,
  ],
  exports: [
    UserGroupsService,
    GroupMembershipRepository,
    GroupSettingRepository,
    SystemGroupRepository,
  ],
})
export class UserGroupsModule {}
