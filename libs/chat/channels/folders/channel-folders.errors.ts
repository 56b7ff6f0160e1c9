import { badRequest, defineErrors } from '#platform/contracts';

/** Folders of channels. */
export const channelFolderErrors = defineErrors({
  folderNameEmpty: badRequest(
    "Channel folder name can't be empty.",
    'The name has only white space.',
  ),
  folderNameInvalid: badRequest(
    'Invalid character in channel folder name, at position {position}.',
    'The name has a character that cannot be shown; the first one has the position 1.',
  ),
  folderNameTaken: badRequest(
    'Channel folder name already in use',
    'Another folder, which is not archived, has the name, which may differ in case.',
  ),
  folderHasChannels: badRequest(
    'You need to remove all the channels from this folder to archive it.',
    'A folder with channels, other than archived ones, is to be archived.',
  ),
  invalidFolderOrder: badRequest(
    'Invalid order mapping.',
    'The list does not have the id of each folder of the organisation, archived ones included, exactly once.',
  ),
});
