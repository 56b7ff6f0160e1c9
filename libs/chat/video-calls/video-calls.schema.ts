import { ApiError } from '#platform/contracts';
import { endpoint, text } from '#platform/http';
import { providerNames } from './provider-table.rules.js';
import { z } from 'zod';
import { videoCallErrors } from './video-calls.errors.js';

const parameters = {
  video_provider: text(z.enum(providerNames), {
    description: 'The provider of video calls.',
    refusal: () => new ApiError(videoCallErrors.invalidVideoCallProvider),
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
    'Creates a meeting at a configured provider. After INVALID_VIDEO_CALL_PROVIDER_TOKEN the caller must register at the provider (again).',
  returns: z.object({ url: z.string().describe('The address of the meeting.') }),
  errors: [
    videoCallErrors.invalidVideoCallProvider,
    videoCallErrors.videoCallProviderNotConfigured,
    videoCallErrors.invalidVideoCallToken,
    videoCallErrors.videoCallNotCreated,
  ],
});

export const registerAtProvider = endpoint({
  ...call,
  path: '/calls/{video_provider}/register',
  summary: 'Register at a provider of video calls',
  description:
    'Starts the registration of the caller at the provider. Open the returned address in the browser of the caller within ten minutes. After consent the provider redirects to a page of this server that closes itself. Do not share the address: the consent of another person would let the caller create calls in the name of that person.',
  returns: z.object({
    url: z.string().describe('The consent page of the provider.'),
  }),
  errors: [
    videoCallErrors.invalidVideoCallProvider,
    videoCallErrors.videoCallProviderNotConfigured,
  ],
});
