import { Http2Pool } from '../http2/http2-pool.js';
import { sessionsWith } from '../http2/open-session.js';
import { PayloadMemo } from '../transport/payload-memo.js';
import type { OutgoingPush, ProviderAnswer, PushTransport } from '../transport/push-transport.js';
import { sendSignedIn } from '../transport/send-signed-in.js';
import { UnderWay } from '../transport/under-way.js';
import { FcmAccessToken } from './fcm-access-token.js';
import { fcmBody } from './fcm-message.rules.js';
import { fcmData } from './fcm-payload.rules.js';
import { answerOfReply, refusesAccessToken } from './fcm-reply.rules.js';
import type { FcmSettings } from './fcm-settings.js';

/** Google allows a hundred streams on each. */
const MOST_CONNECTIONS = 10;
const LONGEST_CONNECT_MS = 5000;

/** Sends through FCM's HTTP v1 API, over HTTP/2 connections of its own. */
export class FcmHttp2Transport implements PushTransport {
  readonly #pool: Http2Pool;
  readonly #accessToken: FcmAccessToken;
  readonly #path: string;
  readonly #underWay = new UnderWay();
  readonly #data = new PayloadMemo((push) => JSON.stringify(fcmData(push)));

  constructor(private readonly settings: FcmSettings) {
    const { account, certificateAuthority, deadlineMs, host, port, projectId } = settings;
    this.#path = `/v1/projects/${encodeURIComponent(projectId)}/messages:send`;
    this.#accessToken = new FcmAccessToken(account, { certificateAuthority, deadlineMs });
    this.#pool = new Http2Pool({
      name: `Connections to ${host}`,
      open: sessionsWith({ host, port, certificateAuthority }),
      mostConnections: MOST_CONNECTIONS,
      connectTimeoutMs: Math.min(LONGEST_CONNECT_MS, deadlineMs),
      leavesConnection: () => false,
    });
  }

  send(push: OutgoingPush): Promise<ProviderAnswer> {
    const deadline = performance.now() + this.settings.deadlineMs;
    const attempt = (token: string) => this.#post(push, token, deadline);
    return this.#underWay.run(() =>
      sendSignedIn(this.#accessToken, deadline, attempt, refusesAccessToken),
    );
  }

  /** Lets what is under way end within its deadlines. */
  async close(): Promise<void> {
    await this.#underWay.end();
    await this.#pool.close();
  }

  async #post(push: OutgoingPush, token: string, deadline: number): Promise<ProviderAnswer> {
    const outcome = await this.#pool.request(
      {
        headers: {
          ':method': 'POST',
          ':path': this.#path,
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
        },
        body: fcmBody(push, this.#data.of(push), Date.now()),
        isWithdrawn: push.isWithdrawn,
      },
      deadline - performance.now(),
    );
    return outcome.kind === 'reply' ? answerOfReply(outcome, Date.now()) : outcome;
  }
}
