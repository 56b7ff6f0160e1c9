export { UserAdministrationModule } from './user-administration.module.js';
