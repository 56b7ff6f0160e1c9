import { ApiError, longestTexts } from '#platform/contracts';
import { channelErrors } from '../channels.errors.js';

// Controls, halves of surrogate pairs, and code points without a character.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Cn}]/u;

/** The name of a channel without surrounding white space. Throws ApiError for a name that no channel may have. */
export function checkedChannelName(given: string): string {
  const name = given.trim();
  if (name === '') throw new ApiError(channelErrors.channelNameEmpty);
  if ([...name].length > longestTexts.channelName) {
    throw new ApiError(channelErrors.channelNameTooLong, { limit: longestTexts.channelName });
  }
  const position = firstUnprintable(name);
  if (position !== null) throw new ApiError(channelErrors.channelNameInvalid, { position });
  return name;
}

/** The position of the first character that cannot be shown, counted from 1; null if all can be shown. */
export function firstUnprintable(name: string): number | null {
  const index = [...name].findIndex((character) => UNPRINTABLE.test(character));
  return index < 0 ? null : index + 1;
}

/** A description in one line. */
export const oneLine = (description: string): string =>
  description
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
