import { Module } from '@nestjs/common';
import { GroupMembershipRepository } from './group-membership.repository.js';
import { GroupSettingRepository } from './group-setting.repository.js';
import { SystemGroupRepository } from './system-group.repository.js';

/** User groups, and who has a permission by them. */
@Module({
  providers: [GroupMembershipRepository, GroupSettingRepository, SystemGroupRepository],
  exports: [GroupMembershipRepository, GroupSettingRepository, SystemGroupRepository],
})
export class UserGroupsModule {}
