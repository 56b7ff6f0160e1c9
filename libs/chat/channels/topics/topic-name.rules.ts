import { EMPTY_TOPIC_NAME, longestTexts } from '#platform/contracts';
import { shortened } from '#platform/core';

/** Names that clients send for the empty topic. */
const NAMES_OF_THE_EMPTY_TOPIC: ReadonlySet<string> = new Set([EMPTY_TOPIC_NAME, '(no topic)']);

/** The topic that is stored for a name that a client sends. */
export const storedTopic = (name: string): string =>
  NAMES_OF_THE_EMPTY_TOPIC.has(name) ? '' : name;

/** The topic with a name also for the empty topic. */
export const namedTopic = (topic: string): string => (topic === '' ? EMPTY_TOPIC_NAME : topic);

/** The topic of a channel message for a client. One that does not support the empty topic gets a name for it. */
export const shownTopic = (topic: string, isEmptyAllowed: boolean): string =>
  isEmptyAllowed ? topic : namedTopic(topic);

/** The topic of a message; the end of a longer one becomes `...`. */
export const shortenedTopic = (topic: string): string =>
  shortened(topic, longestTexts.topic, '...');
