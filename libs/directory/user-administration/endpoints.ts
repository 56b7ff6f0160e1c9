export { UserAdministrationController } from './user-administration.controller.js';
