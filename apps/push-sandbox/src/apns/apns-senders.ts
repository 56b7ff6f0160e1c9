import type { TLSSocket } from 'node:tls';
import type { ApnsTeam } from '../credentials/prepare-sandbox-credentials.js';
import type { ClientConnection } from '../provider/client-connection.js';
import { bearerTokenOf } from '../provider/http-messages.js';
import type { ApnsReason } from './apns-answer.rules.js';
import {
  isTopicOfApp,
  type TokenInUse,
  tokenInUseAfter,
  topicNamedBy,
} from './apns-sign-in.rules.js';
import { ProviderTokens } from './provider-tokens.js';

const STREAMS_BEFORE_FIRST_TOKEN = 1;
const STREAMS_AFTERWARDS = 1000;

/** The client certificate of a connection; its topic is undefined if the certificate is not accepted. */
interface Certificate {
  readonly topic: string | undefined;
}

/** Authenticates senders: an app by the certificate of its connection, a team by its provider tokens. */
export class ApnsSenders {
  readonly providerTokens: ProviderTokens;
  readonly #tokensInUse = new WeakMap<ClientConnection, TokenInUse>();
  readonly #certificates = new WeakMap<ClientConnection, Certificate>();

  constructor(team: ApnsTeam) {
    this.providerTokens = new ProviderTokens(team);
  }

  /** Registers a connection, and returns its limit of concurrent streams. */
  register(connection: ClientConnection, socket: TLSSocket): number {
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) return STREAMS_BEFORE_FIRST_TOKEN;
    const topic = socket.authorized ? topicNamedBy(certificate.subject) : undefined;
    this.#certificates.set(connection, { topic });
    return topic === undefined ? STREAMS_BEFORE_FIRST_TOKEN : STREAMS_AFTERWARDS;
  }

  /** The default topic of a request: that of the certificate. */
  topicOf(connection: ClientConnection): string | undefined {
    return this.#certificates.get(connection)?.topic;
  }

  /** The fault of a sender. The first valid provider token raises the connection's limit of streams. */
  async faultOf(
    headers: Readonly<Record<string, string | undefined>>,
    connection: ClientConnection,
  ): Promise<ApnsReason | undefined> {
    const certificate = this.#certificates.get(connection);
    return certificate === undefined
      ? this.#faultOfToken(headers['authorization'], connection)
      : faultOfCertificate(certificate, headers['apns-topic']);
  }

  async #faultOfToken(
    authorization: string | undefined,
    connection: ClientConnection,
  ): Promise<ApnsReason | undefined> {
    const token = bearerTokenOf(authorization);
    if (token === undefined) return 'MissingProviderToken';
    const now = new Date();
    const fault = await this.providerTokens.faultOf(token, now);
    if (fault !== undefined) return fault;
    const current = this.#tokensInUse.get(connection);
    const next = tokenInUseAfter(current, token, now);
    if (next === 'too-many-updates') return 'TooManyProviderTokenUpdates';
    this.#tokensInUse.set(connection, next);
    if (current === undefined) connection.allowStreams(STREAMS_AFTERWARDS);
    return undefined;
  }
}

function faultOfCertificate(
  { topic }: Certificate,
  topicOfRequest?: string,
): ApnsReason | undefined {
  if (topic === undefined) return 'BadCertificate';
  return topicOfRequest === undefined || isTopicOfApp(topicOfRequest, topic)
    ? undefined
    : 'TopicDisallowed';
}
