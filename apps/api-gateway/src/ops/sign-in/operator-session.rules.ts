import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** A night's watch; after that the token is asked for again. */
export const SESSION_SECONDS = 12 * 60 * 60;

/** What a signed-in browser holds. */
export interface OperatorSession {
  /** The cookie's value: when it ends, and the signature. */
  readonly value: string;
  /** What the page sends along with whatever changes something: a foreign page cannot read it. */
  readonly proof: string;
}

/** A session that begins now; `now` is in UNIX milliseconds. */
export const openSession = (key: Buffer, now: number): OperatorSession =>
  sessionUntil(key, Math.floor(now / 1000) + SESSION_SECONDS);

/** The session that a cookie stands for; null when it was not made with this key or has ended. */
export function readSession(key: Buffer, value: string, now: number): OperatorSession | null {
  const [, endsAt = ''] = /^(\d{1,12})\./.exec(value) ?? [];
  if (endsAt === '' || Number(endsAt) * 1000 <= now) return null;
  const session = sessionUntil(key, Number(endsAt));
  return isSameSecret(session.value, value) ? session : null;
}

/** Compares in a time that does not tell where two texts differ. */
export const isSameSecret = (one: string, other: string): boolean =>
  timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));

/** The value of a cookie in a request's header; undefined when it has none. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** The token of a Bearer authorization; undefined when it is of another kind. */
export const bearerIn = (header: string): string | undefined =>
  // Its first character is no space: a pattern that may begin with one takes quadratic time on many spaces.
  /^bearer +(\S.*)/i.exec(header)?.[1]?.trimEnd();

function sessionUntil(key: Buffer, endsAt: number): OperatorSession {
  const signature = (purpose: string) =>
    createHmac('sha256', key).update(`${purpose}.${endsAt}`).digest('base64url');
  return { value: `${endsAt}.${signature('session')}`, proof: signature('proof') };
}
