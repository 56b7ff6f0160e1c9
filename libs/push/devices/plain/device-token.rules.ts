import { ApiError } from '#platform/contracts';
import type { PhonePlatform } from '#push/jobs';
import { pushErrors } from './devices.errors.js';

/** In characters; tokens of both providers are far shorter. */
export const LONGEST_TOKEN = 4096;
/** PostgreSQL cannot store this character in a text. */
const NUL = '\0';
const HEX_BYTES = /^(?:[0-9a-f]{2})+$/;

/**
 * The stored form of a device token: APNs tokens are hexadecimal and in lower case, FCM tokens are unchanged. Throws
 * ApiError for an invalid token.
 */
export function normalizeDeviceToken(platform: PhonePlatform, token: string): string {
  if (token.length === 0 || token.length > LONGEST_TOKEN || token.includes(NUL)) {
    throw new ApiError(pushErrors.invalidLengthToken);
  }
  if (platform === 'fcm') return token;
  const lowerCase = token.toLowerCase();
  if (!HEX_BYTES.test(lowerCase)) throw new ApiError(pushErrors.invalidApnsToken);
  return lowerCase;
}
