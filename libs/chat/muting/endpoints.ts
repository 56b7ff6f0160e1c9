export { MutedUsersController } from './muted-users.controller.js';
