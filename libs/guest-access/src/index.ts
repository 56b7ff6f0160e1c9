export { type Identity, substituteIdentity } from './substitute-identity.rules.js';
export { type Acquaintance, VisibleUsersRepository } from './visible-users.repository.js';
