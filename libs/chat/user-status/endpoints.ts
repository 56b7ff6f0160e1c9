export { UserStatusController } from './user-status.controller.js';
