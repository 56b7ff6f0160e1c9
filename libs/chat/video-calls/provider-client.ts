import * as oauth from 'oauth4webapi';
import { type OutboundFetch, outboundFetch, type OutboundProxy } from '#platform/outbound';
import type { Grant } from './provider-token.rules.js';
import {
  type ProviderName,
  providerTitles,
  type VideoCallProvider,
} from './provider-table.rules.js';

/** A provider rejects a code, a token or a refresh token: the account has to register again. */
export class ProviderRefusal extends Error {
  override readonly name = 'ProviderRefusal';
}

/** A provider did not answer in time, or with an unexpected answer. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
}

/** An authorization code with its PKCE verifier and redirect address. */
interface AuthorizationCode {
  readonly code: string;
  readonly codeVerifier: string;
  readonly redirectUri: string;
}

/** The statuses with which providers reject a token or a code. */
const REFUSALS: ReadonlySet<number | undefined> = new Set([400, 401, 403]);

/** A token that is valid in a header; the tokens of the providers are far shorter. */
const BEARER_TOKEN = /^[!-~]{1,8192}$/;

/** An error code of a provider, as opposed to free text. */
const ERROR_CODE = /^[\w.-]{1,64}$/;

/** The errors that reject the credentials of this server, not a token. */
const CLIENT_REFUSALS: ReadonlySet<string> = new Set(['invalid_client', 'unauthorized_client']);

/**
 * The client of one provider. Every request has the same deadline. Rejects with ProviderRefusal when the provider
 * rejects the code or the token, and with ProviderFailure otherwise.
 */
export class ProviderClient {
  readonly name: ProviderName;
  /** The display name. */
  readonly title: string;
  readonly #server: oauth.AuthorizationServer;
  readonly #client: oauth.Client;
  readonly #authentication: oauth.ClientAuth;
  readonly #fetch: OutboundFetch;

  constructor(
    private readonly provider: VideoCallProvider,
    /** The timeout of one request. */
    readonly deadlineMs: number,
    proxy?: OutboundProxy,
  ) {
    this.#fetch = outboundFetch(proxy);
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

  /** The address of the provider's consent page, which redirects to `redirectUri` with the state. */
  async authorizationUrl(
    state: string,
    { codeVerifier, redirectUri }: Omit<AuthorizationCode, 'code'>,
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

  /** Exchanges a code for a token. A code can be exchanged once. */
  exchange({ code, codeVerifier, redirectUri }: AuthorizationCode): Promise<Grant> {
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

  /** Exchanges a refresh token for a token. The provider may invalidate the refresh token. */
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

  /** Creates a meeting that starts at `now` (milliseconds) and resolves with its address. */
  async createMeeting(accessToken: string, now: number): Promise<string> {
    try {
      const response = await this.#fetch(this.provider.meetingsUrl, {
        method: 'POST',
        headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
        body: JSON.stringify(this.provider.meetingRequest(now)),
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
      if (!BEARER_TOKEN.test(access_token))
        throw new ProviderFailure(`${this.title}: malformed token`);
      return {
        accessToken: access_token,
        refreshToken: refresh_token,
        expiresInSeconds: expires_in,
      };
    } catch (error) {
      if (REFUSALS.has(status) && !isClientRefusal(error)) {
        throw new ProviderRefusal(`${this.title} refuses a grant with ${status}`);
      }
      throw this.#toProviderError(error);
    }
  }

  #options(): oauth.TokenEndpointRequestOptions {
    return {
      signal: AbortSignal.timeout(this.deadlineMs),
      [oauth.customFetch]: this.#fetch,
      // Only for a configured http:// address, as in tests.
      [oauth.allowInsecureRequests]: this.provider.tokenUrl.startsWith('http:'),
    };
  }

  #toProviderError(error: unknown): Error {
    if (error instanceof ProviderRefusal || error instanceof ProviderFailure) return error;
    return new ProviderFailure(`${this.title}: ${reasonOf(error)}`);
  }
}

/** The reason for the log: only a code or a name, because a message may quote an answer with a token. */
function reasonOf(error: unknown): string {
  if (error instanceof oauth.ResponseBodyError && ERROR_CODE.test(error.error)) return error.error;
  if (!(error instanceof Error)) return 'unknown';
  return codeOf(error) ?? codeOf(error.cause) ?? error.name;
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;

function isClientRefusal(error: unknown): boolean {
  if (error instanceof oauth.WWWAuthenticateChallengeError) return true;
  return error instanceof oauth.ResponseBodyError && CLIENT_REFUSALS.has(error.error);
}

/** Basic authentication without percent-encoding, which Zoom does not decode. */
const plainBasic =
  ({ clientId, clientSecret }: VideoCallProvider): oauth.ClientAuth =>
  (_server, _client, _body, headers) => {
    const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    headers.set('authorization', `Basic ${credentials}`);
  };
