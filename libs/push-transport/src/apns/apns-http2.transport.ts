import type { OutgoingHttpHeaders } from 'node:http2';
import { Http2Pool } from '../http2/http2-pool.js';
import { sessionsWith } from '../http2/open-session.js';
import { PayloadMemo } from '../transport/payload-memo.js';
import type { OutgoingPush, ProviderAnswer, PushTransport } from '../transport/push-transport.js';
import { sendSignedIn } from '../transport/send-signed-in.js';
import { UnderWay } from '../transport/under-way.js';
import { answerOfApns, speaksOfConnection } from './apns-answer.rules.js';
import type { ApnsSettings, ProviderTokenSource } from './apns-credential.js';
import { type ApnsHeaders, apnsHeaders } from './apns-headers.rules.js';
import { apnsPayload } from './apns-payload.rules.js';

/** Apple allows about a thousand streams on each, and asks that they be kept. */
const MOST_CONNECTIONS = 4;
const LONGEST_CONNECT_MS = 5000;

/** Sends through Apple's HTTP/2 API, over connections of its own. */
export class ApnsHttp2Transport implements PushTransport {
  readonly #pool: Http2Pool;
  /** None with a certificate, which signs in below HTTP. */
  readonly #tokens: ProviderTokenSource | undefined;
  readonly #underWay = new UnderWay();
  readonly #bodies = new PayloadMemo((push) => Buffer.from(JSON.stringify(apnsPayload(push))));

  /** Throws when a certificate or its key is none. */
  constructor(private readonly settings: ApnsSettings) {
    const { host, port, certificateAuthority, credential, deadlineMs } = settings;
    const identity = credential.kind === 'certificate' ? credential : undefined;
    this.#tokens = credential.kind === 'token' ? credential.tokens : undefined;
    this.#pool = new Http2Pool({
      name: `Connections to ${host}`,
      open: sessionsWith({ host, port, certificateAuthority, identity }),
      mostConnections: MOST_CONNECTIONS,
      connectTimeoutMs: Math.min(LONGEST_CONNECT_MS, deadlineMs),
      leavesConnection: (reply) => speaksOfConnection(answerOfApns(reply, 0)),
    });
  }

  send(push: OutgoingPush): Promise<ProviderAnswer> {
    return this.#underWay.run(() => this.#send(push));
  }

  /** Lets what is under way end within its deadlines. */
  async close(): Promise<void> {
    await this.#underWay.end();
    await this.#pool.close();
  }

  #send(push: OutgoingPush): Promise<ProviderAnswer> {
    const headers = apnsHeaders(push);
    if (typeof headers === 'string') {
      return Promise.resolve({ kind: 'unsendable', reason: headers });
    }
    const deadline = performance.now() + this.settings.deadlineMs;
    const attempt = (token?: string) =>
      this.#post(push, wireHeaders(push, headers, token), deadline);
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
    return outcome.kind === 'reply' ? answerOfApns(outcome, Date.now()) : outcome;
  }
}

const refusesProviderToken = (answer: ProviderAnswer): boolean =>
  answer.kind === 'refused' && answer.reason === 'ExpiredProviderToken';

function wireHeaders(
  push: OutgoingPush,
  headers: ApnsHeaders,
  token: string | undefined,
): OutgoingHttpHeaders {
  const onWire: OutgoingHttpHeaders = {
    ':method': 'POST',
    ':path': `/3/device/${encodeURIComponent(push.token)}`,
    'apns-id': headers.id,
    'apns-topic': headers.topic,
    'apns-push-type': headers.pushType,
    'apns-priority': headers.priority,
    'apns-expiration': headers.expiration,
    'apns-collapse-id': headers.collapseId,
  };
  if (token !== undefined) onWire['authorization'] = `bearer ${token}`;
  return onWire;
}
