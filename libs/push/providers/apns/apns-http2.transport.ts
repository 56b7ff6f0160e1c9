import type { OutgoingHttpHeaders } from 'node:http2';
import { WorkInFlight } from '#platform/core';
import { Http2Pool } from '../http2/http2-pool.js';
import { sessionsWith } from '../http2/open-session.js';
import { answerFrom } from '../transport/http2-answer.rules.js';
import { PayloadMemo } from '../transport/payload-memo.js';
import type { ProviderAnswer } from '../transport/provider-answer.rules.js';
import type { OutgoingPush, PushTransport } from '../transport/push-transport.js';
import { sendSignedIn } from '../transport/send-signed-in.js';
import { answerOfApns, ConnectionPolicy } from './apns-answer.rules.js';
import type { ApnsSettings, ProviderTokenSource } from './apns-credential.js';
import { type ApnsHeaders, apnsHeaders, apnsPayload } from './apns-payload.rules.js';

/** Apple allows about a thousand streams per connection, and asks to keep connections open. */
const MAX_CONNECTIONS = 4;
const MAX_CONNECT_MS = 5000;

/** Sends through Apple's HTTP/2 API over a pool of connections. */
export class ApnsHttp2Transport implements PushTransport {
  readonly #pool: Http2Pool;
  /** Undefined with a certificate, which signs in on the TLS level. */
  readonly #tokens: ProviderTokenSource | undefined;
  readonly #connections = new ConnectionPolicy();
  readonly #inFlight = new WorkInFlight();
  readonly #bodies = new PayloadMemo((push) => Buffer.from(JSON.stringify(apnsPayload(push))));

  /** Throws for an invalid certificate or key. */
  constructor(private readonly settings: ApnsSettings) {
    const { host, port, certificateAuthority, proxy, credential, deadlineMs } = settings;
    const identity = credential.kind === 'certificate' ? credential : undefined;
    this.#tokens = credential.kind === 'token' ? credential.tokens : undefined;
    this.#pool = new Http2Pool({
      name: `Connections to ${host}`,
      open: sessionsWith({ host, port, certificateAuthority, identity, proxy }),
      maxConnections: MAX_CONNECTIONS,
      connectTimeoutMs: Math.min(MAX_CONNECT_MS, deadlineMs),
      retiresConnection: (reply) =>
        this.#connections.retires(answerOfApns(reply, 0), performance.now()),
    });
  }

  send(push: OutgoingPush): Promise<ProviderAnswer> {
    return this.#inFlight.track(this.#send(push));
  }

  async close(): Promise<void> {
    await this.#inFlight.settled();
    await this.#pool.close();
  }

  #send(push: OutgoingPush): Promise<ProviderAnswer> {
    const headers = apnsHeaders(push);
    if (typeof headers === 'string') {
      return Promise.resolve({ kind: 'unsendable', reason: headers });
    }
    const deadline = performance.now() + this.settings.deadlineMs;
    const attempt = (token?: string) =>
      this.#post(push, http2HeadersOf(push, headers, token), deadline);
    if (this.#tokens === undefined) return attempt();
    return sendSignedIn(this.#tokens, deadline, attempt, refusesProviderToken);
  }

  async #post(
    push: OutgoingPush,
    headers: OutgoingHttpHeaders,
    deadline: number,
  ): Promise<ProviderAnswer> {
    const body = this.#bodies.of(push);
    const outcome = await this.#pool.request(
      { headers, body, isWithdrawn: push.isWithdrawn },
      deadline - performance.now(),
    );
    return answerFrom(outcome, (reply) => answerOfApns(reply, Date.now()));
  }
}

const refusesProviderToken = (answer: ProviderAnswer): boolean =>
  answer.kind === 'refused' && answer.reason === 'ExpiredProviderToken';

function http2HeadersOf(
  push: OutgoingPush,
  headers: ApnsHeaders,
  token: string | undefined,
): OutgoingHttpHeaders {
  const http2Headers: OutgoingHttpHeaders = {
    ':method': 'POST',
    ':path': `/3/device/${encodeURIComponent(push.token)}`,
    'apns-id': headers.id,
    'apns-topic': headers.topic,
    'apns-push-type': headers.pushType,
    'apns-priority': headers.priority,
    'apns-expiration': headers.expiration,
    'apns-collapse-id': headers.collapseId,
  };
  if (token !== undefined) http2Headers['authorization'] = `bearer ${token}`;
  return http2Headers;
}
