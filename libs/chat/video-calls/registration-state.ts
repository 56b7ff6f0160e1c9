import { createHmac, randomBytes } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import type { ProviderName } from './provider-table.rules.js';

const LIFETIME_SECONDS = 600;
const ALGORITHM = 'HS256';

/** A registration of an account at a provider. */
export interface Registration {
  readonly userId: number;
  readonly provider: ProviderName;
  /** Random; identifies the registration. */
  readonly id: string;
}

/** A new registration with a random id. */
export const newRegistration = (userId: number, provider: ProviderName): Registration => ({
  userId,
  provider,
  id: randomBytes(16).toString('base64url'),
});

/**
 * The `state` parameter of a registration, which the provider returns with the browser: signed, and valid for ten
 * minutes from `now` (milliseconds).
 */
export const signRegistration = (
  { userId, provider, id }: Registration,
  key: Buffer,
  now: number,
): Promise<string> =>
  new SignJWT()
    .setProtectedHeader({ alg: ALGORITHM })
    .setSubject(String(userId))
    .setAudience(provider)
    .setJti(id)
    .setExpirationTime(Math.floor(now / 1000) + LIFETIME_SECONDS)
    .sign(key);

/** The registration of a `state`; null for a forged or expired state and for another provider's. */
export async function verifyRegistration(
  state: string,
  provider: ProviderName,
  { key, now }: { readonly key: Buffer; readonly now: number },
): Promise<Registration | null> {
  try {
    const { payload } = await jwtVerify(state, key, {
      algorithms: [ALGORITHM],
      audience: provider,
      requiredClaims: ['sub', 'jti', 'exp'],
      currentDate: new Date(now),
    });
    return { userId: Number(payload.sub), provider, id: String(payload.jti) };
  } catch {
    return null;
  }
}

/**
 * The PKCE code verifier: proves to the provider that the server that requested the code also exchanges it. It is
 * derived from the registration, so nothing has to be stored between the two requests.
 */
export const codeVerifierOf = ({ id }: Registration, key: Buffer): string =>
  createHmac('sha256', key).update(`code verifier ${id}`).digest('base64url');
