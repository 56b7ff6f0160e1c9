import { ApiError, firstUnprintable } from '#platform/contracts';
import { channelFolderErrors } from './channel-folders.errors.js';

/** The name of a folder without surrounding white space. Throws ApiError for a name that no folder may have. */
export function checkedFolderName(given: string): string {
  const name = given.trim();
  if (name === '') throw new ApiError(channelFolderErrors.folderNameEmpty);
  const position = firstUnprintable(name);
  if (position !== null) throw new ApiError(channelFolderErrors.folderNameInvalid, { position });
  return name;
}
