import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { createSecureServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { SandboxSettings } from '../sandbox-settings.js';
import { AnswerDesk } from '../wire/answer-desk.js';
import { bearerTokenOf } from '../wire/bearer-token.js';
import { payloadOf, readBody, singleHeaders, visibleHeaders } from '../wire/wire-request.js';
import type { WireAnswer } from '../wire/wire-answer.js';
import type { WireConnection } from '../wire/wire-connection.js';
import { Wire } from '../wire/wire.js';
import {
  apnsAccepted,
  apnsAnswerDemandedBy,
  type ApnsReason,
  apnsRefusal,
  apnsScriptedAnswer,
} from './apns-answer.rules.js';
import {
  type ApnsRequest,
  deviceTokenOf,
  faultOfAddress,
  faultOfNotification,
  isApnsId,
} from './apns-request.rules.js';
import { type TokenInUse, tokenInUseAfter } from './provider-token.rules.js';
import { ProviderTokens } from './provider-tokens.js';

const streamsBeforeFirstToken = 1;
const streamsAfterwards = 1000;
/** Above the largest payload of any push type; the rest of a body is not kept. */
const keptBodyBytes = 8192;

/** What Node emits; the types of Node 20 forget the raw headers. */
type StreamEvent = [
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  rawHeaders: string[],
];

/** Apple's side of the wire: TLS with HTTP/2 only, `POST /3/device/{token}`. */
@Injectable()
export class ApnsWireServer implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly wire: Wire;
  readonly #logger = new Logger(ApnsWireServer.name);
  readonly #providerTokens: ProviderTokens;
  readonly #tokensInUse = new WeakMap<WireConnection, TokenInUse>();

  constructor(
    { config, credentials }: SandboxSettings,
    private readonly desk: AnswerDesk,
  ) {
    this.#providerTokens = new ProviderTokens(credentials.apns);
    this.wire = new Wire({
      name: 'APNs',
      host: config.host,
      port: config.apnsPort,
      createServer: () => this.#createServer(credentials.server),
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.wire.open();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.wire.close();
  }

  #createServer({ certificate, key }: SandboxSettings['credentials']['server']) {
    const settings = { maxConcurrentStreams: streamsBeforeFirstToken };
    const server = createSecureServer({ cert: certificate, key, settings });
    server.on('stream', (...event: StreamEvent) => {
      const [stream, headers, , rawHeaders] = event;
      // A client that leaves in mid-request is the client's affair.
      stream.on('error', (error) => this.#logger.debug(`Stream failed: ${error.message}`));
      this.#take(stream, headers, rawHeaders).catch((error: unknown) => {
        this.#logger.error('A request could not be handled', error);
        stream.close();
      });
    });
    return server;
  }

  async #take(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    rawHeaders: readonly string[],
  ): Promise<void> {
    const connection = this.wire.connectionOf(stream.session?.socket);
    const payload = await readBody(stream, keptBodyBytes);
    // The client may be gone by the time that its request is complete.
    if (connection === undefined || payload === undefined) return;
    const request = requestOf(headers, rawHeaders, payload);
    const { 'apns-id': givenId } = request.headers;
    const apnsId = isApnsId(givenId) ? givenId : randomUUID().toUpperCase();
    await this.desk.handle({
      connection,
      attempt: {
        platform: 'apns',
        token: deviceTokenOf(request.path),
        topic: request.headers['apns-topic'] ?? null,
        headers: visibleHeaders(request.headers),
        payload: payloadOf(payload),
        identity: apnsId,
      },
      demanded: (mode) => apnsAnswerDemandedBy(mode, apnsId),
      refusal: async () => {
        const fault = await this.#faultOf(request, connection);
        return fault === undefined ? undefined : apnsRefusal(fault, apnsId);
      },
      scripted: (script) => apnsScriptedAnswer(script, apnsId, new Date()),
      accepted: () => apnsAccepted(apnsId),
      send: (answer) => respond(stream, answer),
    });
  }

  async #faultOf(
    request: ApnsRequest,
    connection: WireConnection,
  ): Promise<ApnsReason | undefined> {
    return (
      faultOfAddress(request) ??
      (await this.#faultOfSender(request, connection)) ??
      faultOfNotification(request)
    );
  }

  async #faultOfSender(
    { headers }: ApnsRequest,
    connection: WireConnection,
  ): Promise<ApnsReason | undefined> {
    const token = bearerTokenOf(headers['authorization']);
    if (token === undefined) return 'MissingProviderToken';
    const now = new Date();
    const fault = await this.#providerTokens.faultOf(token, now);
    if (fault !== undefined) return fault;
    const current = this.#tokensInUse.get(connection);
    const next = tokenInUseAfter(current, token, now);
    if (next === 'too-many-updates') return 'TooManyProviderTokenUpdates';
    this.#tokensInUse.set(connection, next);
    if (current === undefined) connection.allowStreams(streamsAfterwards);
    return undefined;
  }
}

function requestOf(
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
  payload: Buffer,
): ApnsRequest {
  return {
    method: headers[':method'] ?? '',
    path: headers[':path'] ?? '',
    headers: singleHeaders(headers),
    headerNames: rawHeaders.filter((_, index) => index % 2 === 0),
    payload,
  };
}

function respond(stream: ServerHttp2Stream, { status, headers, body }: WireAnswer): void {
  if (stream.destroyed || stream.closed) return;
  stream.respond({ ':status': status, ...headers }, { endStream: body === '' });
  if (body !== '') stream.end(body);
}
