export { UsersController } from './users.controller.js';
