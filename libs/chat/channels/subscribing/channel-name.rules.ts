import { ApiError, longestTexts } from '#platform/contracts';
import { channelErrors } from '../channels.errors.js';

// Controls, halves of surrogate pairs, and code points without a character.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Cn}]/u;

/** The name of a channel without surrounding white space. Throws ApiError for a name that no channel may have. */
export function checkedChannelName(given: string): string {
  const name = given.trim();
  if (name === '') throw new ApiError(channelErrors.channelNameEmpty);
  const characters = [...name];
  if (characters.length > longestTexts.channelName) {
    throw new ApiError(channelErrors.channelNameTooLong, { limit: longestTexts.channelName });
  }
  const wrong = characters.findIndex((character) => UNPRINTABLE.test(character));
  if (wrong >= 0) throw new ApiError(channelErrors.channelNameInvalid, { position: wrong + 1 });
  return name;
}

/** A description in one line. */
export const oneLine = (description: string): string =>
  description
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
