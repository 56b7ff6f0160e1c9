export { UserGroupsController } from './user-groups.controller.js';
export { groupSettingParameter, groupSettingValue } from './user-groups.schema.js';
