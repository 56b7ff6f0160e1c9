import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const CLIENT = { id: 'client_of-carillon', secret: 'se_cret-of/carillon' } as const;

/** A response of the provider; null leaves requests unanswered until the provider stops. */
type Answer = { readonly status: number; readonly body: string } | null;

/** A requested meeting. */
interface MeetingRequest {
  readonly path: string;
  readonly accessToken: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * A fake of Webex and Zoom on the loopback address: users grant access at once, codes and refresh tokens are valid for
 * one exchange, and meetings require an issued access token. The caller must `stop` it.
 */
export class VideoProvider {
  /** The lifetime of issued access tokens in seconds; null omits it from the response. */
  lifetimeSeconds: number | null = 3600;
  /** Scripted responses, which replace the normal ones. */
  meetingAnswer: (() => Answer | Promise<Answer>) | null = null;
  grantAnswer: (() => Answer | Promise<Answer>) | null = null;
  /** The requested meetings, and the received refresh tokens. */
  readonly meetings: MeetingRequest[] = [];
  readonly refreshes: string[] = [];
  readonly #codes = new Map<
    string,
    { readonly redirectUri: string; readonly codeChallenge: string }
  >();
  readonly #accessTokens = new Set<string>();
  readonly #refreshTokens = new Set<string>();

  constructor(private readonly server: Server) {
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  /** The configuration variables with which a gateway uses this provider as `webex` and as `zoom`. */
  get environment(): Readonly<Record<string, string>> {
    return {
      WEBEX_CLIENT_ID: CLIENT.id,
      WEBEX_CLIENT_SECRET: CLIENT.secret,
      WEBEX_API_URL: this.url,
      ZOOM_CLIENT_ID: CLIENT.id,
      ZOOM_CLIENT_SECRET: CLIENT.secret,
      ZOOM_OAUTH_URL: this.url,
      ZOOM_API_URL: this.url,
    };
  }

  get url(): string {
    // A server on TCP has an address of this shape.
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Revokes all issued access tokens. */
  revokeAccessTokens(): void {
    this.#accessTokens.clear();
  }

  /** Revokes all issued refresh tokens. */
  revokeRefreshTokens(): void {
    this.#refreshTokens.clear();
  }

  /** Removes the scripted responses. */
  recover(): void {
    this.lifetimeSeconds = 3600;
    this.meetingAnswer = null;
    this.grantAnswer = null;
    this.meetings.length = 0;
    this.refreshes.length = 0;
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const body = await text(request);
    switch (`${request.method} ${url.pathname}`) {
      case 'GET /v1/authorize':
      case 'GET /oauth/authorize':
        return this.#agree(url.searchParams, response);
      case 'POST /v1/access_token':
      case 'POST /oauth/token':
        return send(response, await this.#grant(request, new URLSearchParams(body)));
      case 'POST /v1/meetings':
      case 'POST /v2/users/me/meetings':
        return send(response, await this.#meet(request, url.pathname, body));
      default:
        return send(response, json(404, { message: 'Not found' }));
    }
  }

  #agree(query: URLSearchParams, response: ServerResponse): void {
    const given = Object.fromEntries(query);
    const isRight =
      given['client_id'] === CLIENT.id &&
      given['response_type'] === 'code' &&
      given['code_challenge_method'] === 'S256';
    if (!isRight) return send(response, json(400, { message: 'Bad authorization request' }));
    const { redirect_uri: redirectUri = '', code_challenge: codeChallenge = '' } = given;
    const code = randomBytes(8).toString('hex');
    this.#codes.set(code, { redirectUri, codeChallenge });
    const location = new URL(redirectUri);
    location.searchParams.set('code', code);
    location.searchParams.set('state', given['state'] ?? '');
    response.writeHead(302, { location: location.href }).end();
  }

  async #grant(request: IncomingMessage, form: URLSearchParams): Promise<Answer> {
    const isRefresh = form.get('grant_type') === 'refresh_token';
    if (isRefresh) this.refreshes.push(form.get('refresh_token') ?? '');
    if (this.grantAnswer !== null) return this.grantAnswer();
    if (!isOurClient(request, form)) return json(401, { error: 'invalid_client' });
    const isGood = isRefresh
      ? this.#refreshTokens.delete(form.get('refresh_token') ?? '')
      : this.#takeCode(form);
    if (!isGood) return json(400, { error: 'invalid_grant' });
    return json(200, this.#newTokens());
  }

  #takeCode(form: URLSearchParams): boolean {
    const code = form.get('code') ?? '';
    const agreement = this.#codes.get(code);
    this.#codes.delete(code);
    const challenge = createHash('sha256').update(form.get('code_verifier') ?? '');
    return (
      agreement?.redirectUri === form.get('redirect_uri') &&
      agreement?.codeChallenge === challenge.digest('base64url')
    );
  }

  #newTokens() {
    const accessToken = `access-${randomBytes(8).toString('hex')}`;
    const refreshToken = `refresh-${randomBytes(8).toString('hex')}`;
    this.#accessTokens.add(accessToken);
    this.#refreshTokens.add(refreshToken);
    return {
      access_token: accessToken,
      refresh_token: refreshToken,
      token_type: 'Bearer',
      ...(this.lifetimeSeconds !== null && { expires_in: this.lifetimeSeconds }),
    };
  }

  async #meet(request: IncomingMessage, path: string, body: string): Promise<Answer> {
    const accessToken = request.headers.authorization?.replace('Bearer ', '') ?? '';
    this.meetings.push({ path, accessToken, body: JSON.parse(body) });
    if (this.meetingAnswer !== null) return this.meetingAnswer();
    if (!this.#accessTokens.has(accessToken)) return json(401, { message: 'Unauthorized' });
    return path === '/v1/meetings'
      ? json(200, { id: '1', webLink: `${this.url}/meet/webex-${this.meetings.length}` })
      : json(201, { id: 1, join_url: `${this.url}/meet/zoom-${this.meetings.length}` });
  }
}

export async function startVideoProvider(): Promise<VideoProvider> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return new VideoProvider(server);
}

export const json = (status: number, body: unknown): NonNullable<Answer> => ({
  status,
  body: JSON.stringify(body),
});

/** Webex expects the client secret in the body, Zoom in the header; each ignores the other place. */
function isOurClient({ url, headers }: IncomingMessage, form: URLSearchParams): boolean {
  if (url === '/v1/access_token') {
    return form.get('client_id') === CLIENT.id && form.get('client_secret') === CLIENT.secret;
  }
  const credentials = Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64');
  return headers.authorization === `Basic ${credentials}` && !form.has('client_secret');
}

function send(response: ServerResponse, answer: Answer): void {
  if (answer === null) return;
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
}
