import { z } from 'zod';
import { longestTexts } from '#platform/contracts';
import { limitedText } from '#platform/http';
import { shortenedTopic } from './topic-name.rules.js';

const limited = limitedText(longestTexts.topic);
const trimmed = z
  .string()
  .trim()
  .regex(/^\P{Cc}*$/u);

/** A topic that a client names. */
export const topicName = trimmed.pipe(limited);

/** The topic of a message that a client sends. A longer one is shortened, so that no message of a program is lost. */
export const messageTopic = trimmed.transform(shortenedTopic).pipe(limited);
