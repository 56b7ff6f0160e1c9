export { fromStrictBase64 } from './base64.rules.js';
export {
  decryptPayload,
  encryptPayload,
  isPair,
  isPushKey,
  makePushKey,
  makeServiceKeyPair,
  openSealed,
  sealTo,
  type ServiceKeyPair,
  TOKEN_ID_BYTES,
  tokenIdOf,
  tokenIdsOf,
} from './cryptography.js';
export {
  type FcmTarget,
  fcmTargetOf,
  installationOf,
  installationTokenIdOf,
} from './fcm-target.rules.js';
export { isOutOfTime, parseSealedToken, type SealedToken } from './sealed-registration.rules.js';
