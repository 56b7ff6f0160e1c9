import type { OutgoingPush } from '../transport/push-transport.js';
import { androidPriority } from './fcm-payload.rules.js';

/** In whole seconds, which is what a phone counts in. */
export const androidTimeToLiveSeconds = (
  { expiresAt }: Pick<OutgoingPush, 'expiresAt'>,
  now: number,
): number => Math.max(0, Math.floor((expiresAt - now) / 1000));

/**
 * The body of `messages:send`, from data that is JSON already: for the devices of a fan-out it is the same.
 * https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages
 */
export function fcmBody(
  push: Pick<OutgoingPush, 'token' | 'expiresAt' | 'content'>,
  data: string,
  now: number,
): string {
  // No collapse key: a phone that is off keeps four of them at most, and drops what has others.
  const ttl = `${androidTimeToLiveSeconds(push, now)}s`;
  const android = `{"priority":"${androidPriority(push)}","ttl":"${ttl}"}`;
  return `{"message":{"token":${JSON.stringify(push.token)},"data":${data},"android":${android}}}`;
}
