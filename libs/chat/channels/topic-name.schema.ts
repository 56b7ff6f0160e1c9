import { z } from 'zod';
import { longestTexts } from '#platform/contracts';
import { limitedText } from '#platform/http';

/** A topic that a client sends. */
export const topicName = z
  .string()
  .trim()
  .regex(/^\P{Cc}*$/u)
  .pipe(limitedText(longestTexts.topic));
