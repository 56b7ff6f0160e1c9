import { z } from 'zod';
import { longestTexts, withoutHiding } from '#platform/contracts';
import { limitedText } from '#platform/http';
import { shortenedTopic } from './topic-name.rules.js';

const limited = limitedText(longestTexts.topic);
const printable = z
  .string()
  .trim()
  .regex(/^\P{Cc}*$/u);

/** A topic that a client names. */
export const topicName = printable.pipe(limited);

/**
 * The topic of a message that a client sends. A longer one is shortened, and characters that hide others are left out, so
 * that no message of a program is lost.
 */
export const messageTopic = printable
  .transform((given) => shortenedTopic(withoutHiding(given).trim()))
  .pipe(limited);
