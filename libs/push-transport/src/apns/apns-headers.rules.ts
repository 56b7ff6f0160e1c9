import type { OutgoingPush } from '../transport/push-transport.js';
import { type ApnsUrgency, apnsUrgency } from './apns-payload.rules.js';

/** What goes beside the payload; the names are those of Apple's headers. */
export interface ApnsHeaders extends ApnsUrgency {
  readonly id: string;
  readonly topic: string;
  /** UNIX seconds. */
  readonly expiration: number;
  readonly collapseId: string;
}

/** Apple's bound on bundle identifiers, in characters. */
const LONGEST_TOPIC = 155;

/** The form of a bundle identifier. Any other value could end the connection when it is sent as a header. */
const TOPIC_FORM = new RegExp(`^[\\w.-]{1,${LONGEST_TOPIC}}$`);

/** Whether a text can be sent to Apple as a topic. */
export const isTopic = (text: string): boolean => TOPIC_FORM.test(text);

/** The headers of a push; or the reason, in Apple's words, why it cannot be sent at all. */
export function apnsHeaders(push: OutgoingPush): ApnsHeaders | 'MissingTopic' | 'BadTopic' {
  if (push.appId === null) return 'MissingTopic';
  if (!isTopic(push.appId)) return 'BadTopic';
  return {
    id: push.deliveryId,
    topic: push.appId,
    ...apnsUrgency(push),
    expiration: Math.floor(push.expiresAt / 1000),
    // A push that arrives twice takes its own place.
    collapseId: push.notificationId,
  };
}
