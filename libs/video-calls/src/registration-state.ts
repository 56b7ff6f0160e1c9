import { createHmac, randomBytes } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import type { ProviderName } from './video-call-provider.js';

const LIFETIME_SECONDS = 600;
const ALGORITHM = 'HS256';

/** One account's way to a provider and back. */
export interface Registration {
  readonly userId: number;
  readonly provider: ProviderName;
  /** Tells this registration from every other. */
  readonly id: string;
}

/** A registration that begins now. */
export const newRegistration = (userId: number, provider: ProviderName): Registration => ({
  userId,
  provider,
  id: randomBytes(16).toString('base64url'),
});

/**
 * A registration as the `state` that goes to the provider and comes back in somebody's browser: signed,
 * and good for ten minutes from `now` (milliseconds).
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

/** The registration of a `state`; null for one that is forged, too old, or another provider's. */
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
 * The secret by which the provider knows that who changes the code into a token is who sent the browser
 * (PKCE). It follows from the registration, so that nothing has to be kept meanwhile.
 */
export const codeVerifierOf = ({ id }: Registration, key: Buffer): string =>
  createHmac('sha256', key).update(`code verifier ${id}`).digest('base64url');
