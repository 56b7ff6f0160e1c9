import { badRequest, defineErrors } from '#platform/contracts';

/** Video calls. */
export const videoCallErrors = defineErrors({
  invalidVideoCallProvider: badRequest(
    'Invalid video call provider',
    'The path contains an unknown provider.',
  ),
  videoCallProviderNotConfigured: badRequest(
    '{provider} credentials have not been configured',
    'The operator has not configured the provider.',
  ),
  invalidVideoCallToken: {
    code: 'INVALID_VIDEO_CALL_PROVIDER_TOKEN',
    status: 400,
    msg: 'Invalid {provider} access token',
    when: 'The account is not registered at the provider, or the provider rejects its token. The account must register (again).',
  },
  videoCallNotCreated: badRequest(
    'Failed to create {provider} call',
    'The provider did not answer in time or returned no meeting. The client can retry.',
  ),
  invalidVideoCallSession: badRequest(
    'Invalid {provider} session identifier',
    'The provider redirects a browser with a `state` that is forged, expired or already used. The answer is a page.',
  ),
  invalidVideoCallCredentials: badRequest(
    'Invalid {provider} credentials',
    'The provider redirects a browser without a valid code, for example because the person did not consent. The answer is a page.',
  ),
});
