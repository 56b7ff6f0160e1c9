import { isIP } from 'node:net';
import { type App, deleteApp, initializeApp } from 'firebase-admin/app';
import { getMessaging, type Messaging, type TokenMessage } from 'firebase-admin/messaging';
import type { OutgoingPush, ProviderAnswer, PushTransport } from '../transport/push-transport.js';
import { sendSignedIn } from '../transport/send-signed-in.js';
import { UnderWay } from '../transport/under-way.js';
import { withinDeadline } from '#core';
import { FcmAccessToken } from './fcm-access-token.js';
import { FcmAgent, FcmCall, fcmCall, Withdrawn } from './firebase-admin-agent.js';
import { androidTimeToLiveSeconds } from './fcm-message.rules.js';
import { androidPriority, fcmData } from './fcm-payload.rules.js';
import { answerOfReply, refusesAccessToken } from './fcm-reply.rules.js';
import type { FcmSettings } from './fcm-settings.js';

/** No token of the SDK's keeping outlives ours. */
const NOT_TO_BE_KEPT_SECONDS = 1;
/** Each transport is an SDK app of its own, whose names must differ. */
let transportsMade = 0;

/**
 * Sends through FCM's HTTP v1 API with Google's SDK, over kept-alive HTTP/1.1 connections: as many as
 * there are calls at the same time.
 *
 * Its `sendEach` may hang for ever, and its errors hide what the reply says, so each push is one `send`
 * whose reply is read off the connection below the SDK.
 */
export class FirebaseAdminTransport implements PushTransport {
  readonly #app: App;
  readonly #agent: FcmAgent;
  readonly #messaging: Messaging;
  readonly #accessToken: FcmAccessToken;
  readonly #underWay = new UnderWay();
  /** The SDK's apps may be deleted once. */
  #closing: Promise<void> | undefined;

  constructor(private readonly settings: FcmSettings) {
    const { account, certificateAuthority, deadlineMs, host, port } = settings;
    this.#accessToken = new FcmAccessToken(account, { certificateAuthority, deadlineMs });
    this.#agent = new FcmAgent({
      host,
      port,
      servername: isIP(host) === 0 ? host : '',
      ...(certificateAuthority === undefined ? {} : { ca: certificateAuthority }),
    });
    transportsMade += 1;
    this.#app = initializeApp(
      {
        projectId: settings.projectId,
        httpAgent: this.#agent,
        credential: {
          getAccessToken: async () => ({
            access_token: await this.#accessToken.current(),
            expires_in: NOT_TO_BE_KEPT_SECONDS,
          }),
        },
      },
      `fcm-${transportsMade}`,
    );
    this.#messaging = getMessaging(this.#app);
  }

  send(push: OutgoingPush): Promise<ProviderAnswer> {
    return this.#underWay.run(() => this.#sendInTime(push));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#underWay.end();
    this.#agent.destroy();
    await deleteApp(this.#app);
  }

  #sendInTime(push: OutgoingPush): Promise<ProviderAnswer> {
    const calls: FcmCall[] = [];
    return withinDeadline<ProviderAnswer>(this.settings.deadlineMs, this.#send(push, calls), () => {
      for (const call of calls) call.abandon();
      return { kind: 'unanswered', reason: 'deadline' };
    });
  }

  #send(push: OutgoingPush, calls: FcmCall[]): Promise<ProviderAnswer> {
    const deadline = performance.now() + this.settings.deadlineMs;
    return sendSignedIn(
      this.#accessToken,
      deadline,
      () => this.#call(push, calls),
      refusesAccessToken,
    ).catch(() => ({ kind: 'unanswered', reason: 'connection' }));
  }

  async #call(push: OutgoingPush, calls: FcmCall[]): Promise<ProviderAnswer> {
    const call = new FcmCall(push.isWithdrawn);
    calls.push(call);
    fcmCall
      .run(call, async () => this.#messaging.send(messageOf(push)))
      .catch((error: unknown) => {
        call.fail(error);
      });
    try {
      return answerOfReply(await call.reply, Date.now());
    } catch (error) {
      if (error instanceof Withdrawn) return { kind: 'withdrawn' };
      if (call.isSent) throw error;
      return { kind: 'unsendable', reason: codeOf(error) };
    }
  }
}

function messageOf(push: OutgoingPush): TokenMessage {
  return {
    token: push.token,
    data: fcmData(push),
    // No collapse key: a phone that is off keeps four of them at most, and drops what has others.
    android: {
      priority: androidPriority(push),
      ttl: androidTimeToLiveSeconds(push, Date.now()) * 1000,
    },
  };
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'not a message';
