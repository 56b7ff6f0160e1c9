import type { Endpoints } from '#platform/http';
import { GroupChangesController } from './group-changes.controller.js';
import { UserGroupsController } from './user-groups.controller.js';
import { UserGroupsModule } from './user-groups.module.js';

export { groupSettingValue } from './user-groups.schema.js';

export const userGroupsEndpoints: Endpoints = {
  imports: [UserGroupsModule],
  controllers: [GroupChangesController, UserGroupsController],
};
