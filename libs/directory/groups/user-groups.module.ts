import { Module } from '@nestjs/common';
import { EventLogModule } from '#events/log';
import { AccountGroupsRepository } from './account-groups.repository.js';
import { GroupAccess } from './group-access.js';
import { GroupMemberRepository } from './group-member.repository.js';
import { GroupMembersService } from './group-members.service.js';
import { GroupReadingService } from './group-reading.service.js';
import { GroupSettingsService } from './group-settings.service.js';
import { GroupUsesRepository } from './group-uses.repository.js';
import { GroupUsesService } from './group-uses.service.js';
import { MembershipChangesService } from './membership-changes.service.js';
import { NewUserGroupService } from './new-user-group.service.js';
import { SettingChangesService } from './setting-changes.service.js';
import { UserGroupChangeRepository } from './user-group-change.repository.js';
import { UserGroupChangesService } from './user-group-changes.service.js';
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
    GroupAccess,
    GroupMemberRepository,
    GroupMembersService,
    GroupReadingService,
    GroupSettingsService,
    GroupUsesRepository,
    GroupUsesService,
    MembershipChangesService,
    NewUserGroupService,
    SettingChangesService,
    UserGroupChangeRepository,
    UserGroupChangesService,
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
    GroupReadingService,
    MembershipChangesService,
    NewUserGroupService,
    UserGroupChangesService,
    UserGroupEvents,
    UserGroupsService,
    GroupMembershipRepository,
    GroupSettingRepository,
    PermissionHoldersRepository,
    SystemGroupRepository,
  ],
})
export class UserGroupsModule {}
