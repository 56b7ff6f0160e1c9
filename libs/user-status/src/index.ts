export { ChangeOwnStatus, type OwnStatusRequest } from './change-own-status.js';
export { ChangeUserStatus } from './change-user-status.js';
export { GetUserStatus, type SeenStatus } from './get-user-status.js';
export type { StatusRequest } from './status-request.rules.js';
export { UserStatusModule } from './user-status.module.js';
