import { z } from 'zod';

/** The supported providers by their names in paths, each with its display name. */
export const providerTitles = { webex: 'Webex', zoom: 'Zoom' } as const;

export type ProviderName = keyof typeof providerTitles;

/** The names in paths. */
export const providerNames = ['webex', 'zoom'] as const satisfies readonly ProviderName[];

/** The credentials of this server at a provider. */
interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The addresses and request formats of a provider. */
export interface VideoCallProvider extends ClientCredentials {
  readonly name: ProviderName;
  /** The consent page. */
  readonly authorizationUrl: string;
  /** The endpoint that exchanges codes and refresh tokens for tokens. */
  readonly tokenUrl: string;
  /** The requested scope; null where the provider has it in the client's settings. */
  readonly scope: string | null;
  /** Where the provider expects the client's secret. */
  readonly sendsSecretIn: 'body' | 'header';
  readonly meetingsUrl: string;
  /** The body of the request for a meeting that starts at once; `now` in milliseconds. */
  readonly meetingRequest: (now: number) => Readonly<Record<string, unknown>>;
  /** Finds the meeting's address in the provider's answer. */
  readonly meetingAnswer: z.ZodType<string>;
}

const MEETING_TITLE = 'Video call';
const MINUTE_MS = 60_000;

/** The longest meeting of a free Webex account. */
const WEBEX_MEETING_MINUTES = 40;

/** Clients open the link, so it must be a web address and never a script. */
const meetingLink = z.url({ protocol: /^https?$/ });

/** The credentials and addresses of the providers; null for a disabled provider. */
export interface ProviderOptions {
  readonly webex: (ClientCredentials & { readonly apiUrl: string }) | null;
  readonly zoom:
    (ClientCredentials & { readonly oauthUrl: string; readonly apiUrl: string }) | null;
}

/** All providers by name; null for a disabled provider. */
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
 * A meeting that starts in one minute: Webex rejects a start in the past, and its clock may be ahead of ours. Instant
 * meetings of Webex need a room of its messenger, which an account can lack.
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
