import { z } from 'zod';
import type { ClientCredentials, ProviderName, VideoCallProvider } from './video-call-provider.js';

const MEETING_TITLE = 'Video call';
const MINUTE_MS = 60_000;

/** The longest meeting that Webex lets accounts hold which pay nothing. */
const WEBEX_MEETING_MINUTES = 40;

/** Nothing but an address of the web is handed to clients, which open it. */
const meetingLink = z.url({ protocol: /^https?$/ });

/** Which providers are switched on, and where they answer. */
export interface ProviderOptions {
  readonly webex: (ClientCredentials & { readonly apiUrl: string }) | null;
  readonly zoom:
    (ClientCredentials & { readonly oauthUrl: string; readonly apiUrl: string }) | null;
}

/** Every provider by its name; null for one that is not switched on. */
export const providerTable = ({
  webex,
  zoom,
}: ProviderOptions): Readonly<Record<ProviderName, VideoCallProvider | null>> => ({
  webex: webex && {
    name: 'webex',
    clientId: webex.clientId,
    clientSecret: webex.clientSecret,
    authorizationUrl: `${webex.apiUrl}/v1/authorize`,
    tokenUrl: `${webex.apiUrl}/v1/access_token`,
    scope: 'meeting:schedules_write',
    sendsSecretIn: 'body',
    meetingsUrl: `${webex.apiUrl}/v1/meetings`,
    meetingRequest: webexMeeting,
    meetingAnswer: z.object({ webLink: meetingLink }).transform(({ webLink }) => webLink),
  },
  zoom: zoom && {
    name: 'zoom',
    clientId: zoom.clientId,
    clientSecret: zoom.clientSecret,
    authorizationUrl: `${zoom.oauthUrl}/oauth/authorize`,
    tokenUrl: `${zoom.oauthUrl}/oauth/token`,
    scope: null,
    sendsSecretIn: 'header',
    meetingsUrl: `${zoom.apiUrl}/v2/users/me/meetings`,
    meetingRequest: zoomMeeting,
    meetingAnswer: z.object({ join_url: meetingLink }).transform(({ join_url }) => join_url),
  },
});

/**
 * A meeting that begins in a minute, since Webex refuses one that began when its clock is ahead of ours.
 * Its instant meetings belong to a room of its messenger, which a caller here need not have.
 */
function webexMeeting(now: number): Readonly<Record<string, unknown>> {
  const start = now + MINUTE_MS;
  return {
    title: MEETING_TITLE,
    start: new Date(start).toISOString(),
    end: new Date(start + WEBEX_MEETING_MINUTES * MINUTE_MS).toISOString(),
    sendEmail: false,
  };
}

const INSTANT_MEETING = 1;

const zoomMeeting = (): Readonly<Record<string, unknown>> => ({
  topic: MEETING_TITLE,
  type: INSTANT_MEETING,
});
