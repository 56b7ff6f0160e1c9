export { VisibleUsersRepository } from './visible-users.repository.js';
