import { Module } from '@nestjs/common';
import { ChangeSubgroups } from './change-subgroups.js';
import { GroupMembershipRepository } from './group-membership.repository.js';
import { GroupSettingRepository } from './group-setting.repository.js';
import { ListUserGroups } from './list-user-groups.js';
import { SubgroupRepository } from './subgroup.repository.js';
import { SystemGroupRepository } from './system-group.repository.js';
import { UserGroupRepository } from './user-group.repository.js';

/** User groups, and who has a permission by them. */
@Module({
  providers: [
    ChangeSubgroups,
    GroupMembershipRepository,
    GroupSettingRepository,
    ListUserGroups,
    SubgroupRepository,
    SystemGroupRepository,
    UserGroupRepository,
  ],
  exports: [
    ChangeSubgroups,
    GroupMembershipRepository,
    GroupSettingRepository,
    ListUserGroups,
    SystemGroupRepository,
  ],
})
export class UserGroupsModule {}
