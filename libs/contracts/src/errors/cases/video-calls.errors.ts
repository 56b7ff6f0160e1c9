import { badRequest, type CataloguedError } from '../catalogued-error.js';

/** Video calls. */
export const videoCallErrors = {
  invalidVideoCallProvider: badRequest('Invalid video call provider'),
  videoCallProviderNotConfigured: badRequest('{provider} credentials have not been configured'),
  invalidVideoCallToken: {
    code: 'INVALID_VIDEO_CALL_PROVIDER_TOKEN',
    status: 400,
    msg: 'Invalid {provider} access token',
  },
  videoCallNotCreated: badRequest('Failed to create {provider} call'),
  invalidVideoCallSession: badRequest('Invalid {provider} session identifier'),
  invalidVideoCallCredentials: badRequest('Invalid {provider} credentials'),
} as const satisfies Record<string, CataloguedError>;
