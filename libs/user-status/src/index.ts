export { UserStatusModule } from './user-status.module.js';
