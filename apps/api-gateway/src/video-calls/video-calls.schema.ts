import { ApiError } from '#contracts';
import { endpoint, text } from '#edge';
import { providerNames } from '#video-calls';
import { z } from 'zod';

const parameters = {
  video_provider: text(z.enum(providerNames), {
    description: 'The provider of video calls.',
    refusal: () => new ApiError('invalidVideoCallProvider'),
  }),
};

const call = {
  tag: 'video calls',
  access: 'user',
  method: 'POST',
  parameters,
} as const;

export const createCall = endpoint({
  ...call,
  path: '/calls/{video_provider}/create',
  summary: 'Create a video call',
  description:
    'Makes a meeting at the provider, which the operator must have switched on and where the caller must have agreed. With INVALID_VIDEO_CALL_PROVIDER_TOKEN they have to agree, or to agree again.',
  returns: z.object({ url: z.string().describe('The address of the meeting.') }),
  errors: [
    'invalidVideoCallProvider',
    'videoCallProviderNotConfigured',
    'invalidVideoCallToken',
    'videoCallNotCreated',
  ],
});

export const registerAtProvider = endpoint({
  ...call,
  path: '/calls/{video_provider}/register',
  summary: 'Agree at a provider of video calls',
  description:
    'Begins the caller’s registration at the provider. Open the address in a browser within ten minutes: the person agrees there, and is sent back to a page of this server that closes itself. It is for the caller’s own browser: whoever agrees there lets the caller make calls in their name.',
  returns: z.object({
    url: z.string().describe('The page of the provider where the person agrees.'),
  }),
  errors: ['invalidVideoCallProvider', 'videoCallProviderNotConfigured'],
});
