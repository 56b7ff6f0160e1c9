export { MutedUsersModule } from './muted-users.module.js';
