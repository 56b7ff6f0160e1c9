export { AccountRepository } from './account.repository.js';
export { generateApiKey, hashApiKey, openSealedApiKey, sealApiKey } from './api-key.js';
export { AuthModule } from './auth.module.js';
export { AuthVersionStore } from './auth-versions.store.js';
export { API_KEY_SECRET, FetchApiKey } from './fetch-api-key.js';
export { type OutdatedSignIn, outdateSignIns } from './outdate-sign-ins.repository.js';
export { hashPassword } from './password.js';
export {
  LOGOUT_HURRIER,
  type LogoutHurrier,
  type PromisedLogout,
  RegenerateApiKey,
} from './regenerate-api-key.js';
export { EXTERNAL_URL } from './request-admission.js';
