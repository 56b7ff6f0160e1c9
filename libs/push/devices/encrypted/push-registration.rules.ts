import { ApiError } from '#platform/contracts';
import type { PhonePlatform } from '#push/jobs';
import { fromStrictBase64, isPushKey, TOKEN_ID_BYTES } from '#push/encryption';
import { clientDeviceErrors } from './client-devices.errors.js';

const DAY_MS = 86_400_000;

/** The push key of a device. */
interface DeviceKey {
  readonly id: number;
  /** 33 bytes. */
  readonly key: Buffer;
}

/** The push registration of a client device. */
export interface DeviceRegistration {
  readonly key: DeviceKey | null;
  /** The id of the token that notifications are sent to. */
  readonly tokenId: Buffer | null;
  /** Of that token. */
  readonly platform: PhonePlatform | null;
  /** The id of the token whose registration has not succeeded. */
  readonly pendingTokenId: Buffer | null;
  readonly pendingPlatform: PhonePlatform | null;
  /** UNIX milliseconds. */
  readonly tokenUpdatedAt: number | null;
  /** Why the last registration failed. */
  readonly errorCode: string | null;
}

/** The parameters of a registration; a group that is not complete is null. */
export interface RegistrationRequest {
  readonly key: { readonly id: number; readonly key: string } | null;
  readonly token: {
    readonly platform: PhonePlatform;
    /** In base64. */
    readonly id: string;
    readonly servicePublicKey: string;
    readonly sealed: string;
  } | null;
}

/** New values of a registration, as its event has them: only members that clients know. */
export interface RegistrationUpdate {
  readonly pushKeyId?: number | null;
  readonly tokenId?: Buffer | null;
  readonly pendingTokenId?: Buffer | null;
  /** UNIX milliseconds. */
  readonly tokenUpdatedAt?: number | null;
  readonly errorCode?: string | null;
}

/** The effect of a registration. */
export interface RegistrationChange {
  readonly registration: DeviceRegistration;
  readonly update: RegistrationUpdate;
  /** The request to the push service; null if none is needed. */
  readonly request: 'register' | 'refresh' | null;
}

/**
 * The effect of a request of a phone; null if it changes nothing. Throws ApiError for a request that is refused. `now` is in
 * UNIX milliseconds.
 */
export function registrationChange(
  current: DeviceRegistration,
  { key, token }: RegistrationRequest,
  now: number,
): RegistrationChange | null {
  if (token === null) {
    if (key === null) throw new ApiError(clientDeviceErrors.incompleteRegistration);
    return keyChange(current, key);
  }
  if (isInProgress(current, now)) throw new ApiError(clientDeviceErrors.registrationInProgress);
  const wanted = { tokenId: tokenIdIn(token.id), platform: token.platform };
  if (key === null) {
    if (current.key === null) throw new ApiError(clientDeviceErrors.noRegistrationToRotate);
    return tokenChange(current, wanted, now);
  }
  const wantedKey = { id: key.id, key: pushKeyIn(key.key) };
  if (isSameKey(current.key, wantedKey)) {
    const change = tokenChange(current, wanted, now);
    if (change?.request !== 'register') return change;
  }
  const change = newToken({ ...current, key: wantedKey }, wanted, now);
  return { ...change, update: { pushKeyId: wantedKey.id, ...change.update } };
}

/** Whether a registration has neither succeeded nor failed; after a day it counts as failed. */
export const isInProgress = (
  { pendingTokenId, errorCode, tokenUpdatedAt }: DeviceRegistration,
  now: number,
): boolean => pendingTokenId !== null && errorCode === null && now - (tokenUpdatedAt ?? 0) < DAY_MS;

interface WantedToken {
  readonly tokenId: Buffer;
  readonly platform: PhonePlatform;
}

function keyChange(
  current: DeviceRegistration,
  { id, key }: { readonly id: number; readonly key: string },
): RegistrationChange | null {
  if (current.key === null) throw new ApiError(clientDeviceErrors.noKeyToRotate);
  const wanted = { id, key: pushKeyIn(key) };
  if (isSameKey(current.key, wanted)) return null;
  return {
    registration: { ...current, key: wanted },
    update: { pushKeyId: id },
    request: null,
  };
}

function tokenChange(
  current: DeviceRegistration,
  wanted: WantedToken,
  now: number,
): RegistrationChange | null {
  const isRegistered =
    current.tokenId?.equals(wanted.tokenId) === true &&
    current.platform === wanted.platform &&
    current.errorCode === null &&
    current.pendingTokenId === null;
  if (!isRegistered) return newToken(current, wanted, now);
  if (now - (current.tokenUpdatedAt ?? 0) < DAY_MS) return null;
  return {
    registration: { ...current, tokenUpdatedAt: now },
    update: { tokenUpdatedAt: now },
    request: 'refresh',
  };
}

function newToken(
  current: DeviceRegistration,
  { tokenId, platform }: WantedToken,
  now: number,
): RegistrationChange {
  const update = { pendingTokenId: tokenId, tokenUpdatedAt: now, errorCode: null };
  return {
    registration: { ...current, ...update, pendingPlatform: platform },
    update,
    request: 'register',
  };
}

const isSameKey = (known: DeviceKey | null, wanted: DeviceKey): boolean =>
  known !== null && known.id === wanted.id && known.key.equals(wanted.key);

function pushKeyIn(text: string): Buffer {
  const bytes = fromStrictBase64(text);
  if (bytes === null || !isPushKey(bytes)) throw new ApiError(clientDeviceErrors.invalidPushKey);
  return bytes;
}

function tokenIdIn(text: string): Buffer {
  const bytes = fromStrictBase64(text);
  if (bytes === null) throw new ApiError(clientDeviceErrors.tokenIdNotBase64);
  if (bytes.length !== TOKEN_ID_BYTES) throw new ApiError(clientDeviceErrors.invalidTokenId);
  return bytes;
}

/** The members of a registration in events and states; only those that are given. */
export const toRegistrationResponse = (update: RegistrationUpdate) => ({
  ...(update.pushKeyId !== undefined && { push_key_id: update.pushKeyId }),
  ...(update.tokenId !== undefined && { push_token_id: inBase64(update.tokenId) }),
  ...(update.pendingTokenId !== undefined && {
    pending_push_token_id: inBase64(update.pendingTokenId),
  }),
  ...(update.tokenUpdatedAt !== undefined && {
    push_token_last_updated_timestamp: inSeconds(update.tokenUpdatedAt),
  }),
  ...(update.errorCode !== undefined && { push_registration_error_code: update.errorCode }),
});

const inBase64 = (bytes: Buffer | null): string | null => bytes?.toString('base64') ?? null;
const inSeconds = (time: number | null): number | null =>
  time === null ? null : Math.floor(time / 1000);
