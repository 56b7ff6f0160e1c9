import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** A session lasts twelve hours. */
export const SESSION_SECONDS = 12 * 60 * 60;

/** The session of a browser. */
export interface OperatorSession {
  /** The value of the cookie: its expiry and a signature. */
  readonly value: string;
  /** The CSRF token, which the page sends with each change; other sites cannot read it. */
  readonly proof: string;
}

/** A new session; `now` is in UNIX milliseconds. */
export const openSession = (key: Buffer, now: number): OperatorSession =>
  sessionUntil(key, Math.floor(now / 1000) + SESSION_SECONDS);

/** The session of a cookie; null for an expired one, and for one of another key. */
export function readSession(key: Buffer, value: string, now: number): OperatorSession | null {
  const endsAt = Number(/^(\d{1,12})\./.exec(value)?.[1] ?? 0);
  if (endsAt * 1000 <= now) return null;
  const session = sessionUntil(key, endsAt);
  return isSameSecret(session.value, value) ? session : null;
}

/** Compares two texts in constant time. */
export const isSameSecret = (one: string, other: string): boolean =>
  timingSafeEqual(hash('sha256', one, 'buffer'), hash('sha256', other, 'buffer'));

/** The value of a cookie in a `Cookie` header; undefined without it. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** The token of a Bearer authorization; undefined for another scheme. */
export const bearerIn = (header: string): string | undefined =>
  // `\S` first: a group that may begin with a space takes quadratic time on many spaces.
  /^bearer +(\S.*)/i.exec(header)?.[1]?.trimEnd();

function sessionUntil(key: Buffer, endsAt: number): OperatorSession {
  const signature = (purpose: string) =>
    createHmac('sha256', key).update(`${purpose}.${endsAt}`).digest('base64url');
  return { value: `${endsAt}.${signature('session')}`, proof: signature('proof') };
}
