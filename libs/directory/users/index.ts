export type { AccountWithKey } from './new-account/account-creator.js';
export { AccountVisibilityEvents } from './account-visibility.events.js';
export {
  ACTIVATION_HOOK,
  type ActivationChange,
  type ActivationHook,
  NEW_ACCOUNT_HOOK,
  type NewAccountHook,
  VISIBILITY_HOOK,
  type VisibilityHook,
} from './account-hooks.js';
export type { DirectoryAccount } from './operate/account-directory.repository.js';
export { AccountDirectoryService } from './operate/account-directory.service.js';
export { AccountOperatorService } from './operate/account-operator.service.js';
export { type MessageErasure, MessageErasureRepository } from './message-erasure.repository.js';
export {
  AccountDirectoryModule,
  PasswordOperatorModule,
  UserOperatorModule,
} from './operate/operator.modules.js';
export { PasswordOperatorService } from './operate/password-operator.service.js';
export {
  PROFILE_DATA_READER,
  type ProfileData,
  type ProfileDataReader,
  type ProfileValue,
} from './profile-data.js';
export { SystemBots } from './system-bots/system-bots.js';
export { UserAccess } from './user-access.js';
export { type User, UserRepository } from './user.repository.js';
export { UserRolesService } from './user-roles.service.js';
export { UserEvents } from './users.events.js';
export { UserState } from './user-state.js';
export { UsersModule } from './users.module.js';
export { UsersService } from './users.service.js';
export { userErrors } from './users.errors.js';
