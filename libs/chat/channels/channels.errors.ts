import { badRequest, defineErrors } from '#platform/contracts';

export const channelErrors = defineErrors({
  invalidChannelId: badRequest(
    'Invalid channel ID',
    'The organisation has no channel with this id, the caller cannot see it, or it is archived and the request needs an active channel.',
  ),
  invalidChannelName: badRequest(
    "Invalid channel name '{name}'",
    'The organisation has no channel with this name, or the caller cannot see it.',
  ),
  notAuthorizedForQuery: badRequest(
    'User not authorized for this query',
    '`include_all_active` is for owners and administrators.',
  ),
  moderationChannelNotPrivate: badRequest(
    'Moderation request channel must be private.',
    'The channel for reports is public, or is to be made public.',
  ),
  channelNotAccessible: badRequest(
    'Unable to access channel ({name}).',
    'The caller cannot subscribe to the channel, or it is archived; with `authorization_errors_fatal`.',
  ),
  channelsDoNotExist: badRequest(
    'Channel(s) ({names}) do not exist',
    'The caller ends subscriptions to channels that do not exist or that they cannot see.',
  ),
  noSubscriptionChange: badRequest(
    'Nothing to do. Specify at least one of "add" or "delete".',
    'Both lists of channels are empty.',
  ),
  channelNameEmpty: badRequest("Channel name can't be empty.", 'A name has only white space.'),
  channelNameTooLong: badRequest(
    'Channel name too long (limit: {limit} characters).',
    'A name has too many characters.',
  ),
  channelNameInvalid: badRequest(
    'Invalid character in channel name, at position {position}.',
    'A name has a character that cannot be shown; the first one has the position 1.',
  ),
  channelNameTaken: {
    code: 'CHANNEL_ALREADY_EXISTS',
    status: 400,
    msg: "Channel '{name}' already exists",
    when: 'A new channel is to have the name of another channel, which may differ in case.',
  },
  channelNameInUse: badRequest(
    'Channel name already in use.',
    'A channel is to get the name of another channel, which may differ in case.',
  ),
  cannotAdminister: {
    code: 'CANNOT_ADMINISTER_CHANNEL',
    status: 400,
    msg: 'You do not have permission to administer this channel.',
    when: 'The caller may see the channel, but is neither an administrator of the organisation nor of the channel.',
  },
  contentAccessRequired: badRequest(
    'Channel content access is required.',
    'The caller changes who may read a channel that they cannot read themselves.',
  ),
  otherHolders: {
    code: 'EXPECTATION_MISMATCH',
    status: 400,
    msg: "'old' value does not match the expected value.",
    when: 'The holders of a permission are not the ones in `old`.',
  },
  tooManySubscriptions: badRequest(
    'Too many subscriptions (limit: {limit}).',
    'The number of channels times the number of accounts is too large.',
  ),
  webPublicNotEnabled: badRequest(
    'Web-public channels are not enabled.',
    'A channel is to be readable without an account, which the server does not offer.',
  ),
  channelHasTopics: badRequest(
    'Move the messages of this channel to the general chat topic first.',
    'A channel with messages in other topics is to allow only the empty topic.',
  ),
  defaultCannotBePrivate: badRequest(
    'A default channel cannot be private.',
    'A channel is to be private, and new accounts are to be subscribed to it.',
  ),
  invalidFolder: badRequest(
    'Invalid channel folder ID',
    'The organisation has no folder with this id, or it is archived.',
  ),
  permissionNotForGroup: badRequest(
    "'{permission}' setting cannot be set to '{group}' group.",
    'The permission cannot be given to everyone.',
  ),
  unknownProperty: badRequest(
    'Unknown subscription property: {property}',
    'A subscription has no such setting.',
  ),
  propertyNotBoolean: badRequest(
    '{property} is not a boolean',
    'The value of a setting of a subscription is neither true nor false.',
  ),
  invalidColor: badRequest(
    'Invalid subscription_data[{index}]: Value error, color is not a valid hex color code',
    'A colour is not `#` with three or six hexadecimal digits.',
  ),
  notSubscribed: badRequest(
    'Not subscribed to channel ID {id}',
    'The caller changes the settings of a channel that they are not subscribed to.',
  ),
  privateChannelCannotBeDefault: badRequest(
    'Private channels cannot be made default.',
    'The channel of a request to add a default channel is private.',
  ),
});
