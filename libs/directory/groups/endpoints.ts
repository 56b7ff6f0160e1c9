export { GroupChangesController } from './group-changes.controller.js';
export { UserGroupsController } from './user-groups.controller.js';
export { groupSettingValue } from './user-groups.schema.js';
