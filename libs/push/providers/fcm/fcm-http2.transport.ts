import { WorkInFlight } from '#platform/core';
import { Http2Pool } from '../http2/http2-pool.js';
import { sessionsWith } from '../http2/open-session.js';
import { answerFrom } from '../transport/http2-answer.rules.js';
import { PayloadMemo } from '../transport/payload-memo.js';
import type { ProviderAnswer } from '../transport/provider-answer.rules.js';
import type { OutgoingPush, PushTransport } from '../transport/push-transport.js';
import { sendSignedIn } from '../transport/send-signed-in.js';
import { FcmAccessToken } from './fcm-access-token.js';
import type { FcmSettings } from './fcm-credential.js';
import { androidOptions, fcmBody, fcmData } from './fcm-payload.rules.js';
import { answerOfFcm, refusesAccessToken } from './fcm-answer.rules.js';
import { requestAccessToken } from './fcm-token-request.js';

/** Google allows a hundred streams per connection. */
const MAX_CONNECTIONS = 10;
const MAX_CONNECT_MS = 5000;

/** Sends through FCM's HTTP v1 API over a pool of HTTP/2 connections. */
export class FcmHttp2Transport implements PushTransport {
  readonly #pool: Http2Pool;
  readonly #accessToken: FcmAccessToken;
  readonly #path: string;
  readonly #inFlight = new WorkInFlight();
  readonly #data = new PayloadMemo((push) => JSON.stringify(fcmData(push)));

  constructor(private readonly settings: FcmSettings) {
    const { certificateAuthority, deadlineMs, host, port, projectId, proxy } = settings;
    this.#path = `/v1/projects/${encodeURIComponent(projectId)}/messages:send`;
    this.#accessToken = new FcmAccessToken(() => requestAccessToken(settings));
    this.#pool = new Http2Pool({
      name: `Connections to ${host}`,
      open: sessionsWith({ host, port, certificateAuthority, proxy }),
      maxConnections: MAX_CONNECTIONS,
      connectTimeoutMs: Math.min(MAX_CONNECT_MS, deadlineMs),
      retiresConnection: () => false,
    });
  }

  send(push: OutgoingPush): Promise<ProviderAnswer> {
    const deadline = performance.now() + this.settings.deadlineMs;
    const attempt = (token: string) => this.#post(push, token, deadline);
    return this.#inFlight.track(
      sendSignedIn(this.#accessToken, deadline, attempt, refusesAccessToken),
    );
  }

  async close(): Promise<void> {
    await this.#inFlight.settled();
    await this.#pool.close();
  }

  async #post(push: OutgoingPush, token: string, deadline: number): Promise<ProviderAnswer> {
    const options = androidOptions(push, this.settings.usesConstrainedNetworks, Date.now());
    const outcome = await this.#pool.request(
      {
        headers: {
          ':method': 'POST',
          ':path': this.#path,
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
        },
        body: fcmBody(push, this.#data.of(push), options),
        isWithdrawn: push.isWithdrawn,
      },
      deadline - performance.now(),
      this.settings.deadlineMs,
    );
    const answer = answerFrom(outcome, (reply) => answerOfFcm(reply, Date.now()));
    if (answer.kind === 'unanswered' && answer.late) void this.#inFlight.track(answer.late);
    return answer;
  }
}
