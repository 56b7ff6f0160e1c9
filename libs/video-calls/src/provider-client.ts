import * as oauth from 'oauth4webapi';
import type { Grant } from './provider-token.rules.js';
import { ProviderFailure, ProviderRefusal } from './provider-errors.js';
import {
  type ProviderName,
  providerTitles,
  type VideoCallProvider,
} from './video-call-provider.js';

/** What the browser of someone who agreed comes back with, and what belongs to it. */
export interface AgreedCode {
  readonly code: string;
  readonly codeVerifier: string;
  readonly redirectUri: string;
}

/** Statuses by which a provider says that it is the token or the code that it does not take. */
const REFUSALS: ReadonlySet<number | undefined> = new Set([400, 401, 403]);

/** What can be sent in a header, where the tokens of the providers are far shorter. */
const BEARER_TOKEN = /^[!-~]{1,8192}$/;

/** A provider's word for an error, as far as it is one and not a sentence. */
const ERROR_CODE = /^[\w.-]{1,64}$/;

/** Errors by which it says that it is this server that it does not know: no token is to blame. */
const REFUSALS_OF_US: ReadonlySet<string> = new Set(['invalid_client', 'unauthorized_client']);

/**
 * Speaks with one provider. Every request has the same deadline. Rejects with ProviderRefusal when the
 * provider takes the code or the token no more, and with ProviderFailure for everything else.
 */
export class ProviderClient {
  readonly name: ProviderName;
  /** The provider's name for itself. */
  readonly title: string;
  readonly #server: oauth.AuthorizationServer;
  readonly #client: oauth.Client;
  readonly #authentication: oauth.ClientAuth;

  constructor(
    private readonly provider: VideoCallProvider,
    /** How long one request waits. */
    readonly deadlineMs: number,
  ) {
    this.name = provider.name;
    this.title = providerTitles[provider.name];
    this.#server = {
      issuer: new URL(provider.tokenUrl).origin,
      authorization_endpoint: provider.authorizationUrl,
      token_endpoint: provider.tokenUrl,
    };
    this.#client = { client_id: provider.clientId };
    this.#authentication =
      provider.sendsSecretIn === 'body'
        ? oauth.ClientSecretPost(provider.clientSecret)
        : plainBasic(provider);
  }

  /** Where someone's browser is sent to agree; it comes back to `redirectUri` with the state. */
  async authorizationUrl(
    state: string,
    { codeVerifier, redirectUri }: Omit<AgreedCode, 'code'>,
  ): Promise<string> {
    const url = new URL(this.provider.authorizationUrl);
    const parameters = {
      response_type: 'code',
      client_id: this.provider.clientId,
      redirect_uri: redirectUri,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      ...(this.provider.scope !== null && { scope: this.provider.scope }),
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  /** Changes a code into a token. A code is good for one exchange. */
  exchange({ code, codeVerifier, redirectUri }: AgreedCode): Promise<Grant> {
    const [server, client] = [this.#server, this.#client];
    const answer = oauth.validateAuthResponse(server, client, new URLSearchParams({ code }));
    return this.#grant(
      () =>
        oauth.authorizationCodeGrantRequest(
          server,
          client,
          this.#authentication,
          answer,
          redirectUri,
          codeVerifier,
          this.#options(),
        ),
      (response) => oauth.processAuthorizationCodeResponse(server, client, response),
    );
  }

  /** Changes a refresh token into a token, after which the provider may take that refresh token no more. */
  refresh(refreshToken: string): Promise<Grant> {
    const [server, client] = [this.#server, this.#client];
    return this.#grant(
      () =>
        oauth.refreshTokenGrantRequest(
          server,
          client,
          this.#authentication,
          refreshToken,
          this.#options(),
        ),
      (response) => oauth.processRefreshTokenResponse(server, client, response),
    );
  }

  /** Makes a meeting that starts at `now` (milliseconds); resolves with its address. */
  async createMeeting(accessToken: string, now: number): Promise<string> {
    try {
      const response = await fetch(this.provider.meetingsUrl, {
        method: 'POST',
        headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
        body: JSON.stringify(this.provider.meetingRequest(now)),
        // A provider's API does not move from request to request, and our token does not move with it.
        redirect: 'error',
        signal: AbortSignal.timeout(this.deadlineMs),
      });
      if (response.status === 401) throw new ProviderRefusal(`${this.title} refuses a token`);
      if (!response.ok) throw new ProviderFailure(`${this.title} answers ${response.status}`);
      return this.provider.meetingAnswer.parse(await response.json());
    } catch (error) {
      throw this.#toProviderError(error);
    }
  }

  async #grant(
    send: () => Promise<Response>,
    process: (response: Response) => Promise<oauth.TokenEndpointResponse>,
  ): Promise<Grant> {
    let status: number | undefined;
    try {
      const response = await send();
      status = response.status;
      const { access_token, refresh_token, expires_in } = await process(response);
      if (!BEARER_TOKEN.test(access_token)) throw new ProviderFailure(`${this.title}: odd token`);
      return {
        accessToken: access_token,
        refreshToken: refresh_token,
        expiresInSeconds: expires_in,
      };
    } catch (error) {
      if (REFUSALS.has(status) && !isRefusalOfUs(error)) {
        throw new ProviderRefusal(`${this.title} refuses a grant with ${status}`);
      }
      throw this.#toProviderError(error);
    }
  }

  #options(): oauth.TokenEndpointRequestOptions {
    return {
      signal: AbortSignal.timeout(this.deadlineMs),
      // Only an operator who wrote http:// into the configuration, as tests do, gets it.
      [oauth.allowInsecureRequests]: this.provider.tokenUrl.startsWith('http:'),
    };
  }

  #toProviderError(error: unknown): Error {
    if (error instanceof ProviderRefusal || error instanceof ProviderFailure) return error;
    return new ProviderFailure(`${this.title}: ${reasonOf(error)}`);
  }
}

/** What went wrong, for the log: a code or a name, since a message may quote an answer with a token in it. */
function reasonOf(error: unknown): string {
  if (error instanceof oauth.ResponseBodyError && ERROR_CODE.test(error.error)) return error.error;
  if (!(error instanceof Error)) return 'unknown';
  return codeOf(error) ?? codeOf(error.cause) ?? error.name;
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;

function isRefusalOfUs(error: unknown): boolean {
  if (error instanceof oauth.WWWAuthenticateChallengeError) return true;
  return error instanceof oauth.ResponseBodyError && REFUSALS_OF_US.has(error.error);
}

/** Basic with id and secret as they are: Zoom does not undo the escapes that the library's own makes. */
const plainBasic =
  ({ clientId, clientSecret }: VideoCallProvider): oauth.ClientAuth =>
  (_server, _client, _body, headers) => {
    const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    headers.set('authorization', `Basic ${credentials}`);
  };
