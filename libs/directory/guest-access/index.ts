export { AccountAudience } from './account-audience.js';
export { GuestAccessModule } from './guest-access.module.js';
export { GuestQueuesModule } from './guest-queues.module.js';
export { substitutedUserId, substituteIdentity } from './substitute-identity.rules.js';
export {
  type SharedPlaces,
  type VisibilityPair,
  VisibleUsersRepository,
} from './visible-users.repository.js';
