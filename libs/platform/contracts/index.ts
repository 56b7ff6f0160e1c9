export { splitBasicAuthorization } from './basic-authorization.rules.js';
export {
  type Access,
  type Authenticator,
  AUTHENTICATOR,
  type AuthRequest,
  type Charge,
  isForServers,
  type OnCharged,
  type RemoteAuthenticator,
  REMOTE_AUTHENTICATOR,
  type RemoteCaller,
  refuseUnmet,
  type Requirement,
  type ServerAccess,
  type ServerCharge,
} from './authenticator.js';
export type { AccountKey, Caller, NamedAccount, Realm, RealmAccount } from './caller.js';
export { type BodyEncoding, bodyEncodings } from './body-encodings.js';
export { EMPTY_TOPIC_NAME } from './empty-topic.js';
export {
  ApiError,
  badRequest,
  type CataloguedError,
  defineErrors,
  quoted,
  unauthorized,
} from './errors/api-error.js';
export { limitErrors, parameterErrors, requestErrors } from './errors/request.errors.js';
export { signInErrors } from './errors/sign-in.errors.js';
export { LIMITS, type Limits, type LimitState } from './limits.js';
export { hostIn, normalizedHost } from './host.js';
export { MEBIBYTE } from './mebibyte.js';
export { longestLists, longestTexts } from './longest-texts.js';
export { firstUnprintable, isReservedName, nameKey, withoutHiding } from './printable-text.js';
export { reportedVersion } from './reported-version.js';
export { isMessageId, isRowId } from './row-id.js';
export { successEnvelope, successEnvelopeOf } from './success-envelope.js';
