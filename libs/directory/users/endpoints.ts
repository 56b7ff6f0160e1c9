export { UsersController } from './users.controller.js';
export { newFullNameParameter, userParameter } from './users.schema.js';
