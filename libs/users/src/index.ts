export { AccessUser } from './access-user.js';
export { type User, UserRepository } from './user.repository.js';
export { UsersModule } from './users.module.js';
export { VisibleUsersRepository } from './visible-users.repository.js';
