import { ApiError, type Platform } from '#contracts';

/** In characters; far above what either provider gives out. */
export const LONGEST_TOKEN = 4096;
/** The one character that PostgreSQL's text cannot hold. */
const NUL = '\0';
const HEX_BYTES = /^(?:[0-9a-f]{2})+$/;

/**
 * The form in which a device token is stored and looked up: APNs tokens are hexadecimal and in lower
 * case, FCM tokens are as they come. Throws ApiError for what can be no token of the platform.
 */
export function normalizeDeviceToken(platform: Platform, token: string): string {
  if (token.length === 0 || token.length > LONGEST_TOKEN || token.includes(NUL)) {
    throw new ApiError('invalidLengthToken');
  }
  if (platform === 'fcm') return token;
  const lowerCase = token.toLowerCase();
  if (!HEX_BYTES.test(lowerCase)) throw new ApiError('invalidApnsToken');
  return lowerCase;
}
