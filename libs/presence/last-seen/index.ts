export { type Person, PersonRepository } from './person.repository.js';
export { UserPresenceRepository, type WrittenPerson } from './user-presence.repository.js';
export { WriteBehind } from './write-behind.js';
