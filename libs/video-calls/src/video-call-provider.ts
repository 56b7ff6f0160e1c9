import type { z } from 'zod';

/** The providers that this server knows, by their names in paths; each with its own name for itself. */
export const providerTitles = { webex: 'Webex', zoom: 'Zoom' } as const;

export type ProviderName = keyof typeof providerTitles;

/** The names in paths. */
export const providerNames = ['webex', 'zoom'] as const satisfies readonly ProviderName[];

/** What this server is at a provider. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What tells one provider from another: where it answers and what it is asked. */
export interface VideoCallProvider extends ClientCredentials {
  readonly name: ProviderName;
  /** Where people agree. */
  readonly authorizationUrl: string;
  /** Where codes and refresh tokens are changed into tokens. */
  readonly tokenUrl: string;
  /** What people are asked to agree to; null where the provider knows it of the client. */
  readonly scope: string | null;
  /** Where the provider looks for the client's secret. */
  readonly sendsSecretIn: 'body' | 'header';
  readonly meetingsUrl: string;
  /** The body of the request for a meeting that starts at once; `now` in milliseconds. */
  readonly meetingRequest: (now: number) => Readonly<Record<string, unknown>>;
  /** Finds the meeting's address in the provider's answer. */
  readonly meetingAnswer: z.ZodType<string>;
}
