export { MutedUsersModule } from './muted-users.module.js';
export { mutedUserErrors } from './muted-users.errors.js';
