import { z } from 'zod';
import { longestTexts } from '#platform/contracts';
import { shortened } from '#platform/core';
import { limitedText } from '#platform/http';

const LINE_BREAKS = /^\n+/;

/**
 * The content of a message that a client sends, without the line breaks before it and the white space behind it. A longer one
 * is shortened, so that no message of a program is lost.
 */
export const messageContent = z
  .string()
  .transform((given) => shortenedContent(given.trimEnd().replace(LINE_BREAKS, '')))
  .pipe(limitedText(longestTexts.message));

/** Ends in a line that says so if the text is longer than a message may be. */
const shortenedContent = (text: string): string =>
  shortened(text, longestTexts.message, '\n[message truncated]');
