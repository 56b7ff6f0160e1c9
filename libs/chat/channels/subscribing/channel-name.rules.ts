import { ApiError, firstUnprintable, longestTexts, withoutHiding } from '#platform/contracts';
import { channelErrors } from '../channels.errors.js';

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

/** A description in one line, without characters that hide others. */
export const oneLine = (description: string): string =>
  withoutHiding(description)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
