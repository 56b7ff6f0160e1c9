import { constants } from 'node:http2';
import apn from '@parse/node-apn';
import {
  refusal,
  type OutgoingPush,
  type ProviderAnswer,
  type PushTransport,
} from '../transport/push-transport.js';
import { parseRetryAfter } from '../transport/retry-after.rules.js';
import { withinDeadline } from '../transport/within-deadline.js';
import { apnsPayload } from './apns-payload.rules.js';
import { type ApnsCall, apnsCall, ApnsSession } from './apns-session.js';

export interface ApnsSettings {
  readonly host: string;
  readonly port: number;
  /** PEM; the system's authorities when left out. */
  readonly certificateAuthority?: string | undefined;
  /** The .p8 key, PEM. */
  readonly key: string;
  readonly keyId: string;
  readonly teamId: string;
  /** Each send is answered within this. */
  readonly deadlineMs: number;
}

/** Reasons that speak of the connection: the next push goes over another one. */
const connectionReasons = new Set([
  'IdleTimeout',
  'Shutdown',
  'TooManyProviderTokenUpdates',
  'UnrelatedKeyIdInToken',
]);

/** The part of the library's client that is steered here; its typings leave it out. */
interface SteeredClient {
  session?: ApnsSession;
  connect(): Promise<void>;
}

/** Sends through Apple's HTTP/2 API. One provider, and so one provider token, for the whole process. */
export class ApnsTransport implements PushTransport {
  readonly #provider: apn.Provider;
  readonly #client: SteeredClient;
  #connecting: Promise<void> | undefined;

  constructor(private readonly settings: ApnsSettings) {
    const { host, port, key, keyId, teamId, deadlineMs } = settings;
    this.#provider = new apn.Provider({
      address: host,
      port,
      token: { key, keyId, teamId },
      // Its own retries ignore Retry-After and follow each other within milliseconds.
      connectionRetryLimit: 0,
      requestTimeout: deadlineMs,
    });
    this.#client = clientOf(this.#provider);
    this.#client.connect = () => this.#connect();
  }

  async send(push: OutgoingPush): Promise<ProviderAnswer> {
    if (push.appId === null) return { kind: 'unsendable', reason: 'MissingTopic' };
    const answer = await this.#sendOnce(push, push.appId);
    // The library has made itself a new provider token on hearing this.
    const isTokenOld = answer.kind === 'refused' && answer.reason === 'ExpiredProviderToken';
    return isTokenOld ? this.#sendOnce(push, push.appId) : answer;
  }

  async close(): Promise<void> {
    const { session } = this.#client;
    await this.#provider.shutdown();
    await session?.end();
  }

  #sendOnce(push: OutgoingPush, topic: string): Promise<ProviderAnswer> {
    const call: ApnsCall = { startedAt: performance.now(), isWithdrawn: push.isWithdrawn };
    const sending = apnsCall.run(call, () => this.#sendFor(call, push, topic));
    return withinDeadline(this.settings.deadlineMs, sending, () => giveUp(call));
  }

  async #sendFor(call: ApnsCall, push: OutgoingPush, topic: string): Promise<ProviderAnswer> {
    const notification = notificationOf(push, topic);
    const answer = answerOf(await this.#provider.send(notification, push.token), call);
    if (answer.kind === 'refused' && connectionReasons.has(answer.reason ?? '')) {
      call.session?.retire();
    }
    return answer;
  }

  /** What the library calls when it has no usable session; all who wait share one attempt. */
  #connect(): Promise<void> {
    this.#connecting ??= this.#openSession().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #openSession(): Promise<void> {
    const { host, port, certificateAuthority: ca, deadlineMs } = this.settings;
    this.#client.session = await ApnsSession.connect(
      `https://${host}:${port}`,
      ca === undefined ? {} : { ca },
      deadlineMs,
    );
  }
}

function giveUp({ session, stream, startedAt }: ApnsCall): void {
  stream?.close(constants.NGHTTP2_CANCEL);
  // When others are answered on it, it is this push that is slow, and not the connection that is dead.
  if (session !== undefined && !session.hasAnsweredSince(startedAt)) session.retire();
}

/** Throws when the library is not the one that this file was written against. */
function clientOf(provider: apn.Provider): SteeredClient {
  // Not in its typings, and the only way to its session; checked here instead.
  const { client } = provider as unknown as { client?: Partial<SteeredClient> };
  if (typeof client?.connect !== 'function') {
    throw new Error('This version of @parse/node-apn has no client.connect to steer');
  }
  return client as SteeredClient;
}

function notificationOf(push: OutgoingPush, topic: string): apn.Notification {
  const notification = new apn.Notification();
  notification.rawPayload = apnsPayload(push);
  notification.id = push.deliveryId;
  // A push that arrives twice takes its own place.
  notification.collapseId = push.notificationId;
  notification.topic = topic;
  notification.pushType = 'alert';
  notification.priority = 10;
  notification.expiry = Math.floor(push.expiresAt / 1000);
  return notification;
}

function answerOf(
  { sent, failed: [failure] }: apn.Responses<apn.ResponseSent, apn.ResponseFailure>,
  call: ApnsCall,
): ProviderAnswer {
  if (call.wasWithdrawn) return { kind: 'withdrawn' };
  const { status } = call;
  if (sent.length > 0 || status === 200) return { kind: 'accepted' };
  if (status === undefined) return { kind: 'unanswered', reason: 'connection' };
  const timestamp = Number(failure?.response?.timestamp);
  return refusal({
    status,
    reason: failure?.response?.reason ?? reasonByStatus(status, failure?.error),
    retryAfterMs: parseRetryAfter(call.retryAfter, Date.now()),
    deadSince: Number.isNaN(timestamp) ? null : timestamp,
  });
}

/** For two reasons the library gives an error of its own in place of Apple's answer. */
function reasonByStatus(status: number, error: Error | undefined): string | null {
  if (status === 403 && error?.message === 'ExpiredProviderToken') return 'ExpiredProviderToken';
  return status === 500 ? 'InternalServerError' : null;
}
