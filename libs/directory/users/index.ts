export type { AddedAccount } from './new-account/account-creator.js';
export { NEW_ACCOUNT_HOOK, type NewAccountHook } from './new-account/new-account.repository.js';
export type { FoundAccount } from './operate/account-directory.repository.js';
export { AccountDirectoryService } from './operate/account-directory.service.js';
export { AccountOperatorService } from './operate/account-operator.service.js';
export { AccountDirectoryModule, UserOperatorModule } from './operate/operator.modules.js';
export {
  PROFILE_DATA_READER,
  type ProfileData,
  type ProfileDataReader,
  type ProfileValue,
} from './profile-data.js';
export { SystemBots } from './system-bots/system-bots.js';
export { UserAccess } from './user-access.js';
export { UserRepository } from './user.repository.js';
export { UsersModule } from './users.module.js';
export { avatarUrl } from './user.response.js';
export { UsersService } from './users.service.js';
export { userErrors } from './users.errors.js';
