export { type PresenceSubject, AskedUserRepository } from './asked-user.repository.js';
export { UserPresenceRepository, type LastSeenUser } from './user-presence.repository.js';
export { WriteBehind } from './write-behind.js';
