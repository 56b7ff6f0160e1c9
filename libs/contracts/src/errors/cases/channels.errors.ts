import { badRequest, type CataloguedError } from '../catalogued-error.js';

/** Channels. */
export const channelErrors = {
  invalidChannelId: badRequest('Invalid channel ID'),
} as const satisfies Record<string, CataloguedError>;
