import type { ApnsApp } from './apns-app.js';
import { digestOf, endOf, nameOf } from './credential-check.rules.js';

const TOLD_BEFORE_END_MS = 14 * 86_400_000;

/** Which credentials have ended or will within two weeks; `now` in UNIX milliseconds. */
export function endingSoon(apps: readonly ApnsApp[], now: number): string[] {
  const texts = apps
    .map(({ signIn }) => ({ name: nameOf(signIn), endsAt: endOf(signIn) }))
    .filter(({ endsAt }) => endsAt - now < TOLD_BEFORE_END_MS)
    .map(
      ({ name, endsAt }) =>
        `the certificate ${name} ${endsAt < now ? 'ended' : 'ends'} on ${dayOf(endsAt)}`,
    );
  return [...new Set(texts)];
}

/** Why new credentials must not take the place of the present ones: one that was not there before has ended. */
export function endedNewcomer(
  next: readonly ApnsApp[],
  present: readonly ApnsApp[],
  now: number,
): string | null {
  const known = new Set(present.map(({ signIn }) => digestOf(signIn)));
  const newcomers = next.filter(({ signIn }) => !known.has(digestOf(signIn)));
  const ended = newcomers.find(({ signIn }) => endOf(signIn) < now);
  if (ended === undefined) return null;
  return `the certificate ${nameOf(ended.signIn)} ended on ${dayOf(endOf(ended.signIn))}`;
}

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
