export { UserStatusModule } from './user-status.module.js';
export { userStatusErrors } from './user-status.errors.js';
