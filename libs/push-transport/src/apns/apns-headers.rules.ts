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

/** Of a bundle identifier. Anything else, sent as a header, could end the connection for everybody. */
const topicForm = /^[\w.-]+$/;

/** The headers of a push; or the reason, in Apple's words, why it cannot be sent at all. */
export function apnsHeaders(push: OutgoingPush): ApnsHeaders | 'MissingTopic' | 'BadTopic' {
  if (push.appId === null) return 'MissingTopic';
  if (!topicForm.test(push.appId)) return 'BadTopic';
  return {
    id: push.deliveryId,
    topic: push.appId,
    ...apnsUrgency(push),
    expiration: Math.floor(push.expiresAt / 1000),
    // A push that arrives twice takes its own place.
    collapseId: push.notificationId,
  };
}
