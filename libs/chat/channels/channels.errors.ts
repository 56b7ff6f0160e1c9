import { badRequest, defineErrors } from '#platform/contracts';

export const channelErrors = defineErrors({
  invalidChannelId: badRequest(
    'Invalid channel ID',
    'The organisation has no channel with this id, the caller may not see it, or it is archived and the request needs an active channel.',
  ),
  invalidChannelName: badRequest(
    "Invalid channel name '{name}'",
    'The organisation has no channel with this name, or the caller may not see it.',
  ),
  notAuthorizedForQuery: badRequest(
    'User not authorized for this query',
    '`include_all_active` is for owners and administrators.',
  ),
  privateChannelCannotBeDefault: badRequest(
    'Private channels cannot be made default.',
    'The channel of a request to add a default channel is private.',
  ),
});
