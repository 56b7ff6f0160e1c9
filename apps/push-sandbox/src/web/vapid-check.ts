import { createPublicKey } from 'node:crypto';
import { jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';

const DAY_SECONDS = 86_400;
const HEADER = /^vapid +t=([\w.-]+) *, *k=([\w-]+)$/i;

const MAX_SIGN_INS = 1000;

const claims = z.object({
  exp: z.number(),
  sub: z.string().regex(/^(?:mailto:[^@\s]+@[^@\s]+|https:\/\/[^/\s]+.*)$/),
});

/** A valid sign-in: its public key, and its end in UNIX seconds. */
interface SignIn {
  readonly key: string;
  readonly exp: number;
}

/** A valid sign-in (RFC 8292), or what is wrong with it. */
async function vapidKeyIn(
  authorization: string | undefined,
  audience: string,
  now: Date,
): Promise<SignIn | { readonly fault: string }> {
  const [, token = '', key = ''] = HEADER.exec(authorization ?? '') ?? [];
  const bytes = Buffer.from(key, 'base64url');
  if (bytes.length !== 65) return { fault: 'missing VAPID header' };
  try {
    const jwk = {
      kty: 'EC',
      crv: 'P-256',
      x: bytes.subarray(1, 33).toString('base64url'),
      y: bytes.subarray(33).toString('base64url'),
    };
    const publicKey = createPublicKey({ format: 'jwk', key: jwk });
    const options = { algorithms: ['ES256'], audience, currentDate: now };
    const { payload } = await jwtVerify(token, publicKey, options);
    const { exp, sub } = claims.parse(payload);
    if (exp > now.getTime() / 1000 + DAY_SECONDS) return { fault: 'VAPID exp is too far ahead' };
    if (/localhost/.test(sub)) return { fault: 'VAPID sub is not a contact' };
    return { key, exp };
  } catch (error) {
    return { fault: `VAPID JWT: ${error instanceof z.ZodError ? 'sub or exp' : String(error)}` };
  }
}

/** Checks sign-ins. The signature of a valid one is verified once: servers use it for hours. */
export class VapidSignIns {
  readonly #known = new LRUCache<string, SignIn>({ max: MAX_SIGN_INS });

  async check(authorization: string | undefined, audience: string, now: Date) {
    const name = `${audience} ${authorization}`;
    const known = this.#known.get(name);
    if (known !== undefined && now.getTime() / 1000 < known.exp) return known;
    const found = await vapidKeyIn(authorization, audience, now);
    if ('key' in found) this.#known.set(name, found);
    return found;
  }
}
