/** The kinds of targets of Google: an installation id of Firebase, or a registration token. */
export type FcmTarget = 'fid' | 'token';

/** 128 bits in base64url, of which the first four are 0111: so the first character is one of four. */
const FID = '[c-f][A-Za-z0-9_-]{21}';
const IS_FID = new RegExp(`^${FID}$`);
/** A registration token is the id of its installation, a colon and a longer part. */
const BEGINS_WITH_FID = new RegExp(`^(${FID})(?::|$)`);

/**
 * Whether a target is an installation id, by its form. Google announces no other sign; what has another form is sent as a
 * token, where Google accepts ids as well.
 */
export const fcmTargetOf = (target: string): FcmTarget => (IS_FID.test(target) ? 'fid' : 'token');

/** The id of the installation that a target of Google belongs to; null for a token that does not begin with one. */
export const installationOf = (target: string): string | null =>
  BEGINS_WITH_FID.exec(target)?.[1] ?? null;

/** SQL: the token id of the installation id that a registration token of Google begins with; null if there is none. */
export const installationTokenIdOf = (token: string): string => `
  CASE WHEN ${token} ~ '^${FID}:' THEN substring(sha256(convert_to(left(${token}, 22), 'UTF8')) FOR 8) END`;
