import { z } from 'zod';
import { ConfigError } from './read-variables.js';
import { urlOf, wholeNumber } from './variable-types.js';

const serviceUrl = urlOf('http', 'https').transform((url) => url.replace(/\/+$/, ''));

/** A provider of video calls is switched on by its pair of client id and client secret. */
export const videoCallVariables = {
  WEBEX_CLIENT_ID: z.string().optional(),
  WEBEX_CLIENT_SECRET: z.string().optional(),
  WEBEX_API_URL: serviceUrl.default('https://webexapis.com'),
  ZOOM_CLIENT_ID: z.string().optional(),
  ZOOM_CLIENT_SECRET: z.string().optional(),
  ZOOM_OAUTH_URL: serviceUrl.default('https://zoom.us'),
  ZOOM_API_URL: serviceUrl.default('https://api.zoom.us'),
  VIDEO_CALL_DEADLINE_MS: wholeNumber(100, 30_000).default(5000),
};

type VideoCallValues = z.infer<z.ZodObject<typeof videoCallVariables>>;

/** What this server is at a provider; null where it is none. */
type Credentials = { readonly clientId: string; readonly clientSecret: string } | null;

/** The providers that are switched on. Throws ConfigError for a pair of which only half is set. */
export function videoCallsOf(values: VideoCallValues) {
  const webex = credentialsOf(values, 'WEBEX_CLIENT_ID', 'WEBEX_CLIENT_SECRET');
  const zoom = credentialsOf(values, 'ZOOM_CLIENT_ID', 'ZOOM_CLIENT_SECRET');
  return {
    deadlineMs: values.VIDEO_CALL_DEADLINE_MS,
    webex: webex && { ...webex, apiUrl: values.WEBEX_API_URL },
    zoom: zoom && { ...zoom, oauthUrl: values.ZOOM_OAUTH_URL, apiUrl: values.ZOOM_API_URL },
  };
}

function credentialsOf(
  values: VideoCallValues,
  idName: 'WEBEX_CLIENT_ID' | 'ZOOM_CLIENT_ID',
  secretName: 'WEBEX_CLIENT_SECRET' | 'ZOOM_CLIENT_SECRET',
): Credentials {
  const { [idName]: clientId, [secretName]: clientSecret } = values;
  if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret };
  if (clientId === undefined && clientSecret === undefined) return null;
  const [given, missing] = clientId === undefined ? [secretName, idName] : [idName, secretName];
  throw new ConfigError([`${missing} is not set, but ${given} is`]);
}
