import { randomUUID } from 'node:crypto';
import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { SandboxSettings } from '../credentials/prepare-sandbox-credentials.js';
import { type Attempt, isAccepted } from '../inbox/delivery.js';
import { AnswerSender } from '../provider/answer-sender.js';
import { createHttpsServer } from '../provider/https-server.js';
import type { ClientConnection } from '../provider/client-connection.js';
import {
  type HttpAnswer,
  jsonOrText,
  readBody,
  sendAnswer,
  singleHeaders,
  visibleHeaders,
} from '../provider/http-messages.js';
import { ProviderListener } from '../provider/provider-listener.js';
import { type Browser, Browsers } from './browsers.js';
import { VapidSignIns } from './vapid-check.js';
import {
  faultOfPush,
  LARGEST_BODY_BYTES,
  ttlOf,
  webAccepted,
  webAnswer,
  webAnswerOfMode,
  webScriptedAnswer,
} from './web-push-request.rules.js';

const MAX_STREAMS = 100;
const PUSH_PATH = /^\/wpush\/v1\/([\w-]{1,200})$/;

/** The push service of browsers: TLS with HTTP/2 or HTTP/1.1 (RFC 8030, 8291, 8292). */
@Injectable()
export class WebPushServer implements OnApplicationBootstrap, OnApplicationShutdown {
  /** None without a port. */
  readonly listeners: readonly ProviderListener[];
  readonly #logger = new Logger(WebPushServer.name);
  readonly #signIns = new VapidSignIns();

  constructor(
    { config, credentials }: SandboxSettings,
    private readonly sender: AnswerSender,
    private readonly browsers: Browsers,
  ) {
    const { host, webPort: port } = config;
    const createServer = () => this.#createServer(credentials.server);
    this.listeners =
      port === undefined
        ? []
        : [new ProviderListener({ name: 'Web push', host, port, createServer })];
  }

  async onApplicationBootstrap(): Promise<void> {
    await Promise.all(this.listeners.map((listener) => listener.open()));
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.listeners.map((listener) => listener.close()));
  }

  #createServer(identity: SandboxSettings['credentials']['server']) {
    return createHttpsServer({
      ...identity,
      maxStreams: MAX_STREAMS,
      logger: this.#logger,
      handle: (request, response) => this.#handle(request, response),
    });
  }

  async #handle(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    const connection = this.listeners[0]?.connectionOf(request.socket);
    const body = await readBody(request, LARGEST_BODY_BYTES);
    // The client may have disconnected before its request was complete.
    if (connection === undefined || body === undefined) return;
    const [, token = ''] = PUSH_PATH.exec(request.url) ?? [];
    const headers = singleHeaders(request.headers);
    const origin = `https://${headers[':authority'] ?? headers['host']}`;
    const browser = this.browsers.find(token);
    const text = browser?.keys.open(body) ?? null;
    const push: ReceivedPush = { method: request.method, headers, body, origin, token, text };
    const attempt = attemptOf(push);
    const ttl = ttlOf(headers) ?? 0;
    const location = `${this.browsers.origin}/m/${randomUUID()}`;
    const accepted = () => webAccepted(location, ttl);
    await this.sender.handle({
      connection,
      attempt,
      timeToLiveSeconds: ttl,
      isHeld: browser?.isOnline === false,
      ofMode: webAnswerOfMode,
      refusal: () => this.#refusalOf(push, browser),
      scripted: (script) => webScriptedAnswer(script, accepted()),
      accepted,
      send: (answer) => {
        this.#keep(browser, attempt, answer, ttl);
        sendAnswer(response, connection, answer);
      },
      abort: () => endRequest(response, connection),
    });
  }

  #keep(browser: Browser | undefined, attempt: Attempt, { status }: HttpAnswer, ttl: number): void {
    if (browser === undefined || browser.isOnline || !isAccepted(status)) return;
    const endsAt = Date.now() + ttl * 1000;
    this.browsers.keep(browser, attempt.headers['topic'] ?? '', { attempt, status, endsAt });
  }

  async #refusalOf(
    push: ReceivedPush,
    browser: Browser | undefined,
  ): Promise<HttpAnswer | undefined> {
    const fault = faultOfPush(push);
    if (fault !== undefined) return fault;
    const { authorization } = push.headers;
    const signIn = await this.#signIns.check(authorization, push.origin, new Date());
    if ('fault' in signIn) return webAnswer(401, signIn.fault);
    if (browser === undefined) return webAnswer(404, 'no such subscription');
    if (browser.vapidPublicKey !== null && browser.vapidPublicKey !== signIn.key) {
      return webAnswer(403, 'VAPID key mismatch');
    }
    return push.text === null
      ? webAnswer(400, 'the browser cannot decrypt the message')
      : undefined;
  }
}

interface ReceivedPush {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** As the client has asked for it. */
  readonly origin: string;
  /** Of the subscription; empty for another path. */
  readonly token: string;
  /** The message as the browser reads it; null if it cannot. */
  readonly text: string | null;
}

function attemptOf({ headers, body, token, text }: ReceivedPush): Attempt {
  const decrypted = text === null ? null : jsonOrText(text);
  return {
    platform: 'web',
    token,
    topic: null,
    headers: visibleHeaders(headers),
    payload: { bytes: body.length },
    decrypted,
    identity: headers['topic'] ?? randomUUID(),
  };
}

function endRequest(response: Http2ServerResponse, connection: ClientConnection): void {
  if (connection.session === undefined) connection.drop();
  else response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
}
