import { randomBytes } from 'node:crypto';
import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { SandboxSettings } from '../credentials/prepare-sandbox-credentials.js';
import { AnswerSender } from '../provider/answer-sender.js';
import { createHttpsServer } from '../provider/https-server.js';
import type { ClientConnection } from '../provider/client-connection.js';
import {
  bearerTokenOf,
  type HttpAnswer,
  jsonOrText,
  readBody,
  sendAnswer,
  singleHeaders,
  visibleHeaders,
} from '../provider/http-messages.js';
import { ProviderListener } from '../provider/provider-listener.js';
import { AccessTokens } from './access-tokens.js';
import {
  fcmAccepted,
  fcmAnswerOfMode,
  fcmNotFound,
  fcmScriptedAnswer,
  fcmUnauthenticated,
  fcmUnregistered,
} from './fcm-answer.rules.js';
import { fcmIdentityOf, fcmTimeToLiveOf, fcmTokenOf, readFcmMessage } from './fcm-message.rules.js';
import { InstallationsStore } from './installations.store.js';

const MAX_STREAMS = 100;
/** More than the largest message in any JSON formatting; longer bodies are cut. */
const KEPT_BODY_BYTES = 65_536;
const SEND_PATH = /^\/v1\/projects\/([^/]+)\/messages:send$/;
const TOKEN_PATH = '/token';

/** The FCM server: TLS with HTTP/2 or HTTP/1.1, `messages:send` and the token endpoint. */
@Injectable()
export class FcmServer implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly listeners: readonly ProviderListener[];
  readonly #listener: ProviderListener;
  readonly #logger = new Logger(FcmServer.name);
  readonly #accessTokens: AccessTokens;
  readonly #projectId: string;

  constructor(
    { config, credentials }: SandboxSettings,
    private readonly sender: AnswerSender,
    private readonly installations: InstallationsStore,
  ) {
    this.#projectId = credentials.fcm.projectId;
    this.#accessTokens = new AccessTokens(credentials.fcm);
    this.#listener = new ProviderListener({
      name: 'FCM',
      host: config.host,
      port: config.fcmPort,
      createServer: () => this.#createServer(credentials.server),
    });
    this.listeners = [this.#listener];
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.#listener.open();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#listener.close();
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
    const connection = this.#listener.connectionOf(request.socket);
    const body = await readBody(request, KEPT_BODY_BYTES);
    // The client may have disconnected before its request was complete.
    if (connection === undefined || body === undefined) return;
    const project = request.method === 'POST' ? SEND_PATH.exec(request.url)?.[1] : undefined;
    if (project !== undefined) {
      await this.#handleMessage({ request, response, connection, body, project });
    } else if (request.method === 'POST' && request.url === TOKEN_PATH) {
      await this.#issueToken(response, connection, body);
    } else {
      sendAnswer(response, connection, fcmNotFound());
    }
  }

  async #handleMessage(incoming: IncomingMessage): Promise<void> {
    const { request, response, connection, body, project } = incoming;
    const headers = singleHeaders(request.headers);
    const payload = jsonOrText(body.toString());
    const name = `projects/${project}/messages/0:${Date.now()}000%${randomBytes(8).toString('hex')}`;
    await this.sender.handle({
      connection,
      attempt: {
        platform: 'fcm',
        token: fcmTokenOf(payload),
        topic: null,
        headers: visibleHeaders(headers),
        payload,
        identity: fcmIdentityOf(payload),
      },
      timeToLiveSeconds: fcmTimeToLiveOf(payload),
      ofMode: fcmAnswerOfMode,
      refusal: () => this.#refusalOf(headers['authorization'], project, payload),
      scripted: (script) => fcmScriptedAnswer(script, name),
      accepted: () => fcmAccepted(name),
      send: (answer) => sendAnswer(response, connection, answer),
      abort: () => {
        if (connection.session === undefined) connection.drop();
        else response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      },
    });
  }

  async #refusalOf(
    authorization: string | undefined,
    project: string,
    payload: unknown,
  ): Promise<HttpAnswer | undefined> {
    const token = bearerTokenOf(authorization);
    const isAuthentic =
      token !== undefined && (await this.#accessTokens.isValid(token, new Date()));
    if (!isAuthentic) return fcmUnauthenticated();
    if (project !== this.#projectId) return fcmNotFound();
    const reading = readFcmMessage(payload);
    if ('refusal' in reading) return reading.refusal;
    return this.installations.isReplaced(fcmTokenOf(payload)) ? fcmUnregistered() : undefined;
  }

  /** Modes affect messages only; a silent connection does not answer token requests either. */
  async #issueToken(
    response: Http2ServerResponse,
    connection: ClientConnection,
    body: Buffer,
  ): Promise<void> {
    if (connection.isSilent) return;
    const answer = await this.#accessTokens.issue(new URLSearchParams(body.toString()));
    sendAnswer(response, connection, {
      status: answer.status,
      reason: null,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify(answer.body),
    });
  }
}

interface IncomingMessage {
  readonly request: Http2ServerRequest;
  readonly response: Http2ServerResponse;
  readonly connection: ClientConnection;
  readonly body: Buffer;
  /** The project of the path. */
  readonly project: string;
}
