export { AccountRepository, bumpAuthVersions, type AccountVersion } from './account.repository.js';
export { generateApiKey, hashApiKey, openSealedApiKey, sealApiKey } from './api-key.js';
export {
  API_KEY_SECRET,
  ApiKeysService,
  DEVICE_REVOKER,
  type DeviceRevoker,
  type LogoutOutboxEntry,
} from './api-keys.service.js';
export { ApiKeyOperatorModule } from './api-key-operator.module.js';
export { AuthVersionCache } from './auth-version-cache.js';
export { AuthVersionStore } from './auth-versions.store.js';
export { AuthModule } from './auth.module.js';
export { hashPassword, isPassword } from './password.js';
export { PasswordSignInService } from './password-sign-in.service.js';
export { FIRST_SIGN_IN, type FirstSignIn } from './first-sign-in.js';
export { EXTERNAL_URL } from './request-authenticator.js';
export { SignInLeaseStore } from './sign-in-leases.store.js';
