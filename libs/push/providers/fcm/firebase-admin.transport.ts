import { isIP } from 'node:net';
import { type App, deleteApp, initializeApp } from 'firebase-admin/app';
import { getMessaging, type Messaging, type TokenMessage } from 'firebase-admin/messaging';
import { errorCode, withinDeadline, WorkInFlight } from '#platform/core';
import { ProxyFault } from '#platform/outbound';
import { answerOfProxyFault, type ProviderAnswer } from '../transport/provider-answer.rules.js';
import type { OutgoingPush, PushTransport } from '../transport/push-transport.js';
import { sendSignedIn } from '../transport/send-signed-in.js';
import { FcmAccessToken } from './fcm-access-token.js';
import type { FcmSettings } from './fcm-credential.js';
import { androidOptions, fcmData } from './fcm-payload.rules.js';
import { answerOfFcm, refusesAccessToken } from './fcm-answer.rules.js';
import { requestAccessToken } from './fcm-token-request.js';
import { FcmAgent, FcmCall, fcmCall, Withdrawn } from './firebase-admin-agent.js';

/** The SDK must not cache a token: FcmAccessToken does. */
const TOKEN_TTL_SECONDS = 1;
/** The apps of the SDK need different names. */
let appCount = 0;

/**
 * Sends through FCM's HTTP v1 API with Google's SDK, over one HTTP/1.1 connection for each concurrent call.
 *
 * `sendEach` may never settle, and the errors of the SDK omit Retry-After and the details of the response. So each
 * push is one `send`, and its response is read by the HTTP agent, an official option of the SDK.
 */
export class FirebaseAdminTransport implements PushTransport {
  readonly #app: App;
  readonly #agent: FcmAgent;
  readonly #messaging: Messaging;
  readonly #accessToken: FcmAccessToken;
  readonly #inFlight = new WorkInFlight();
  /** An app of the SDK can be deleted only once. */
  #closing: Promise<void> | undefined;

  constructor(private readonly settings: FcmSettings) {
    const { certificateAuthority, host, port } = settings;
    this.#accessToken = new FcmAccessToken(() => requestAccessToken(settings));
    this.#agent = new FcmAgent(
      {
        host,
        port,
        servername: isIP(host) === 0 ? host : '',
        ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
      },
      settings.proxy,
    );
    appCount += 1;
    this.#app = initializeApp(
      {
        projectId: settings.projectId,
        httpAgent: this.#agent,
        credential: {
          getAccessToken: async () => ({
            access_token: await this.#accessToken.current(),
            expires_in: TOKEN_TTL_SECONDS,
          }),
        },
      },
      `fcm-${appCount}`,
    );
    this.#messaging = getMessaging(this.#app);
  }

  send(push: OutgoingPush): Promise<ProviderAnswer> {
    return this.#inFlight.track(this.#sendInTime(push));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#inFlight.settled();
    this.#agent.destroy();
    await deleteApp(this.#app);
  }

  #sendInTime(push: OutgoingPush): Promise<ProviderAnswer> {
    const { deadlineMs } = this.settings;
    const calls: FcmCall[] = [];
    const sending = this.#send(push, calls);
    const abandon = (): ProviderAnswer => {
      for (const call of calls) call.abandon();
      return unanswered('deadline', calls);
    };
    return withinDeadline<ProviderAnswer>(deadlineMs, sending, () => {
      if (!hasLeft(calls)) return abandon();
      const late = this.#inFlight.track(withinDeadline(deadlineMs, sending, abandon));
      return { ...unanswered('deadline', calls), late };
    });
  }

  #send(push: OutgoingPush, calls: FcmCall[]): Promise<ProviderAnswer> {
    const deadline = performance.now() + this.settings.deadlineMs;
    return sendSignedIn(
      this.#accessToken,
      deadline,
      () => this.#call(push, calls),
      refusesAccessToken,
    ).catch(() => unanswered('connection', calls));
  }

  #messageOf(push: OutgoingPush): TokenMessage {
    const options = androidOptions(push, this.settings.usesConstrainedNetworks, Date.now());
    return {
      // This version has no field for installation ids; Google takes them here too.
      token: push.token,
      data: fcmData(push),
      android: {
        priority: options.priority,
        ttl: options.ttlSeconds * 1000,
        ...(options.isForConstrainedNetworks && { bandwidthConstrainedOk: true }),
      },
    };
  }

  async #call(push: OutgoingPush, calls: FcmCall[]): Promise<ProviderAnswer> {
    const call = new FcmCall(push.isWithdrawn);
    calls.push(call);
    fcmCall
      .run(call, async () => this.#messaging.send(this.#messageOf(push)))
      .catch((error: unknown) => {
        call.fail(error);
      });
    try {
      return answerOfFcm(await call.reply, Date.now());
    } catch (error) {
      if (error instanceof Withdrawn) return { kind: 'withdrawn' };
      if (error instanceof ProxyFault) return answerOfProxyFault(error);
      if (call.isSent) throw error;
      return { kind: 'unsendable', reason: String(errorCode(error) ?? 'not a message') };
    }
  }
}

const hasLeft = (calls: readonly FcmCall[]): boolean => calls.at(-1)?.hasLeft ?? false;

const unanswered = (reason: 'deadline' | 'connection', calls: readonly FcmCall[]) => ({
  kind: 'unanswered' as const,
  reason,
  ...(hasLeft(calls) && { wasSent: true }),
});
