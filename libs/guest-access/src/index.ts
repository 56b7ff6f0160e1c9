export { type Acquaintance, VisibleUsersRepository } from './visible-users.repository.js';
