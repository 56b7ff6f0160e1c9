import { badRequest, type CataloguedError } from '../catalogued-error.js';

/** Channels. */
export const channelErrors = {
  invalidChannelId: badRequest('Invalid channel ID'),
  notAuthorizedForQuery: badRequest('User not authorized for this query'),
  privateChannelCannotBeDefault: badRequest('Private channels cannot be made default.'),
} as const satisfies Record<string, CataloguedError>;
