import type { TLSSocket } from 'node:tls';
import type { ApnsTeam } from '../credentials/prepare-sandbox-credentials.js';
import { bearerTokenOf } from '../wire/bearer-token.js';
import type { WireConnection } from '../wire/wire-connection.js';
import type { ApnsReason } from './apns-answer.rules.js';
import { isTopicOfApp, topicNamedBy } from './client-certificate.rules.js';
import { type TokenInUse, tokenInUseAfter } from './provider-token.rules.js';
import { ProviderTokens } from './provider-tokens.js';

const streamsBeforeFirstToken = 1;
const streamsAfterwards = 1000;

/** A certificate that came with a connection; without a topic when Apple would not take it. */
interface Certificate {
  readonly topic: string | undefined;
}

/** Who sends over a connection: an app, by the certificate of its connection, or a team, by its provider tokens. */
export class ApnsSenders {
  readonly providerTokens: ProviderTokens;
  readonly #tokensInUse = new WeakMap<WireConnection, TokenInUse>();
  readonly #certificates = new WeakMap<WireConnection, Certificate>();

  constructor(team: ApnsTeam) {
    this.providerTokens = new ProviderTokens(team);
  }

  /** Looks at who has connected, and resolves with how many requests it may have open at a time. */
  meet(connection: WireConnection, socket: TLSSocket): number {
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) return streamsBeforeFirstToken;
    const topic = socket.authorized ? topicNamedBy(certificate.subject) : undefined;
    this.#certificates.set(connection, { topic });
    return topic === undefined ? streamsBeforeFirstToken : streamsAfterwards;
  }

  /** The topic of a request that names none: a certificate speaks for one app. */
  topicOf(connection: WireConnection): string | undefined {
    return this.#certificates.get(connection)?.topic;
  }

  /** What is wrong with the sender of a request; a first valid provider token widens the connection. */
  async faultOf(
    headers: Readonly<Record<string, string | undefined>>,
    connection: WireConnection,
  ): Promise<ApnsReason | undefined> {
    const certificate = this.#certificates.get(connection);
    return certificate === undefined
      ? this.#faultOfToken(headers['authorization'], connection)
      : faultOfCertificate(certificate, headers['apns-topic']);
  }

  async #faultOfToken(
    authorization: string | undefined,
    connection: WireConnection,
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
    if (current === undefined) connection.allowStreams(streamsAfterwards);
    return undefined;
  }
}

function faultOfCertificate({ topic }: Certificate, asked?: string): ApnsReason | undefined {
  if (topic === undefined) return 'BadCertificate';
  return asked === undefined || isTopicOfApp(asked, topic) ? undefined : 'TopicDisallowed';
}
