export { LastSeenRepository, type WrittenPerson } from './last-seen.repository.js';
export { type Person, PersonRepository } from './person.repository.js';
export { UserPresenceRepository } from './user-presence.repository.js';
export { WriteBehind } from './write-behind.js';
