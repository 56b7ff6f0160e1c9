import { hash } from 'node:crypto';
import { isSilent } from '../transport/message-fields.rules.js';
import type { OutgoingPush } from '../transport/push-transport.js';

/** The urgency of a push (RFC 8030, 5.3). */
type Urgency = 'high' | 'normal' | 'low';

/** 24 bytes: in base64url 32 characters, the most that a topic may have. Apple takes only what can be decoded. */
const TOPIC_BYTES = 24;

/** The headers of a push without its sign-in. */
export interface WebPushHeaders {
  readonly ttl: string;
  readonly urgency: Urgency;
  readonly topic: string;
  readonly 'content-encoding': 'aes128gcm';
  readonly 'content-type': 'application/octet-stream';
}

/** The headers of a push; `now` is in UNIX milliseconds. */
export const webPushHeaders = (push: OutgoingPush, now: number): WebPushHeaders => ({
  // With 0 a service would drop the push for a client that is not connected at this moment.
  ttl: String(Math.max(1, Math.floor((push.expiresAt - now) / 1000))),
  urgency: urgencyOf(push.content),
  topic: topicOf(push),
  'content-encoding': 'aes128gcm',
  'content-type': 'application/octet-stream',
});

/** A repeated push and a reminder replace the first one while it is not delivered; no other push has its topic. */
const topicOf = ({ token, notificationId, replaces = notificationId }: OutgoingPush): string =>
  hash('sha256', `${token}\n${replaces}`, 'buffer').subarray(0, TOPIC_BYTES).toString('base64url');

function urgencyOf(content: OutgoingPush['content']): Urgency {
  if (isSilent(content)) return 'low';
  return content.kind === 'message' && content.trigger.kind === 'channel' ? 'normal' : 'high';
}
