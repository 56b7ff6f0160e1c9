import { randomUUID } from 'node:crypto';
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { ScriptedAnswersStore } from '../control/scripted-answers.store.js';
import { SandboxSettings } from '../credentials/prepare-sandbox-credentials.js';
import { AnswerSender } from '../provider/answer-sender.js';
import type { ApnsEnvironment } from '#push/jobs';
import type { ClientConnection } from '../provider/client-connection.js';
import {
  type HttpAnswer,
  jsonOrText,
  readBody,
  singleHeaders,
  visibleHeaders,
} from '../provider/http-messages.js';
import { ProviderListener } from '../provider/provider-listener.js';
import {
  apnsAccepted,
  apnsAnswerOfMode,
  type ApnsReason,
  apnsRefusal,
  apnsScriptedAnswer,
  withUniqueId,
} from './apns-answer.rules.js';
import {
  type ApnsRequest,
  deviceTokenOf,
  faultOfAddress,
  faultOfNotification,
  isApnsId,
  timeToLiveOf,
} from './apns-request.rules.js';
import { ApnsSenders } from './apns-senders.js';
import type { ProviderTokenRecord } from './provider-tokens.js';

/** More than the largest payload of any push type; longer bodies are cut. */
const KEPT_BODY_BYTES = 8192;

/** The types of Node 20 omit the raw headers. */
type StreamEvent = [
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
  rawHeaders: string[],
];

/**
 * The APNs server: TLS with HTTP/2 only, `POST /3/device/{token}`, on one port for each of Apple's environments. A
 * device token is valid in one environment and unknown in the other.
 */
@Injectable()
export class ApnsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly listeners: readonly ProviderListener[];
  readonly #logger = new Logger(ApnsServer.name);
  readonly #senders: ApnsSenders;

  constructor(
    private readonly settings: SandboxSettings,
    private readonly sender: AnswerSender,
    private readonly scripts: ScriptedAnswersStore,
  ) {
    const { apnsPort, apnsSandboxPort } = settings.config;
    this.#senders = new ApnsSenders(settings.credentials.apns);
    this.listeners = [
      this.#createListener('production', apnsPort),
      ...(apnsSandboxPort === undefined ? [] : [this.#createListener('sandbox', apnsSandboxPort)]),
    ];
  }

  async onApplicationBootstrap(): Promise<void> {
    await Promise.all(this.listeners.map((listener) => listener.open()));
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.listeners.map((listener) => listener.close()));
  }

  /** The valid provider tokens that were received, the newest first. */
  providerTokens(): ProviderTokenRecord[] {
    return this.#senders.providerTokens.seen();
  }

  #createListener(environment: ApnsEnvironment, port: number): ProviderListener {
    const listener: ProviderListener = new ProviderListener({
      name: environment === 'production' ? 'APNs' : 'APNs sandbox',
      host: this.settings.config.host,
      port,
      createServer: () => this.#createServer(environment, listener),
    });
    return listener;
  }

  #createServer(environment: ApnsEnvironment, listener: ProviderListener): Http2SecureServer {
    const { server: identity, apnsCertificateAuthority } = this.settings.credentials;
    const server = createSecureServer({
      cert: identity.certificate,
      key: identity.key,
      ca: apnsCertificateAuthority,
      requestCert: true,
      // A client without a certificate uses a provider token; an invalid certificate is refused in the answers.
      rejectUnauthorized: false,
    });
    // Before Node's own listener, which sends the current settings to the client.
    server.prependListener('secureConnection', (socket: TLSSocket) => {
      const connection = listener.connectionOf(socket);
      if (connection === undefined) return;
      server.updateSettings({ maxConcurrentStreams: this.#senders.register(connection, socket) });
    });
    server.on('stream', (...event: StreamEvent) => {
      const [stream, headers, , rawHeaders] = event;
      // A client may disconnect during a request.
      stream.on('error', (error) => this.#logger.debug(`Stream failed: ${error.message}`));
      const connection = listener.connectionOf(stream.session?.socket);
      this.#handle({ stream, headers, rawHeaders, connection, environment }).catch(
        (error: unknown) => {
          this.#logger.error('A request could not be handled', error);
          stream.close();
        },
      );
    });
    return server;
  }

  async #handle({ stream, headers, rawHeaders, connection, environment }: Incoming): Promise<void> {
    const payload = await readBody(stream, KEPT_BODY_BYTES);
    // The client may have disconnected before its request was complete.
    if (connection === undefined || payload === undefined) return;
    const given = singleHeaders(headers);
    const defaultTopic = this.#senders.topicOf(connection);
    const request: ApnsRequest = {
      method: given[':method'] ?? '',
      path: given[':path'] ?? '',
      headers: defaultTopic === undefined ? given : { 'apns-topic': defaultTopic, ...given },
      headerNames: rawHeaders.filter((_, index) => index % 2 === 0),
      payload,
    };
    const { 'apns-id': givenId } = request.headers;
    const apnsId = isApnsId(givenId) ? givenId : randomUUID().toUpperCase();
    await this.sender.handle({
      connection,
      attempt: {
        platform: 'apns',
        ...(environment === 'sandbox' && { environment }),
        token: deviceTokenOf(request.path),
        topic: request.headers['apns-topic'] ?? null,
        headers: visibleHeaders(given),
        payload: jsonOrText(payload.toString()),
        identity: apnsId,
      },
      timeToLiveSeconds: timeToLiveOf(request.headers['apns-expiration'], new Date()),
      ofMode: (mode) => apnsAnswerOfMode(mode, apnsId),
      refusal: async () => {
        const fault = await this.#faultOf(request, connection, environment);
        return fault === undefined ? undefined : apnsRefusal(fault, apnsId);
      },
      scripted: (script) => apnsScriptedAnswer(script, apnsId, new Date()),
      accepted: () => apnsAccepted(apnsId),
      send: (answer) => respond(stream, environment === 'sandbox' ? withUniqueId(answer) : answer),
      abort: () => stream.close(constants.NGHTTP2_INTERNAL_ERROR),
    });
  }

  async #faultOf(
    request: ApnsRequest,
    connection: ClientConnection,
    environment: ApnsEnvironment,
  ): Promise<ApnsReason | undefined> {
    const fault =
      faultOfAddress(request) ??
      (await this.#senders.faultOf(request.headers, connection)) ??
      faultOfNotification(request);
    if (fault !== undefined) return fault;
    const home = this.scripts.environmentOf(deviceTokenOf(request.path));
    return home === environment ? undefined : 'BadDeviceToken';
  }
}

/** One request as Node emits it. */
interface Incoming {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  /** Undefined if the client has disconnected. */
  readonly connection: ClientConnection | undefined;
  readonly environment: ApnsEnvironment;
}

function respond(stream: ServerHttp2Stream, { status, headers, body }: HttpAnswer): void {
  if (stream.destroyed || stream.closed) return;
  stream.respond({ ':status': status, ...headers }, { endStream: body === '' });
  if (body !== '') stream.end(body);
}
