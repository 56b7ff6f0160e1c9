export { UserGroupsController } from './user-groups.controller.js';
export { groupSettingValue } from './user-groups.schema.js';
