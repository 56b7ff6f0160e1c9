import { constants } from 'node:http2';
import apn from '@parse/node-apn';
import type { OutgoingPush, ProviderAnswer, PushTransport } from '../transport/push-transport.js';
import { UnderWay } from '../transport/under-way.js';
import { withinDeadline } from '#core';
import { answerOfApns, speaksOfConnection } from './apns-answer.rules.js';
import type { ApnsSettings } from './apns-credential.js';
import { type ApnsHeaders, apnsHeaders } from './apns-headers.rules.js';
import { apnsPayload } from './apns-payload.rules.js';
import { type ApnsCall, apnsCall, ApnsSession } from './node-apn-session.js';

const LATER_MS = 1000;

/** The part of the library's client that is steered here; its typings leave it out. */
interface SteeredClient {
  session?: ApnsSession;
  connect(): Promise<void>;
}

/**
 * Sends with `@parse/node-apn`, over one connection. It signs a provider token of its own: the source of
 * tokens in the credential is not asked.
 */
export class NodeApnTransport implements PushTransport {
  readonly #provider: apn.Provider;
  readonly #client: SteeredClient;
  readonly #underWay = new UnderWay();
  #connecting: Promise<void> | undefined;

  constructor(private readonly settings: ApnsSettings) {
    const { host, port, deadlineMs } = settings;
    this.#provider = new apn.Provider({
      address: host,
      port,
      ...signInOf(settings),
      // Its own retries ignore Retry-After and follow each other within milliseconds.
      connectionRetryLimit: 0,
      // Ours decides: what ends by its own the library calls a lost connection.
      requestTimeout: deadlineMs + LATER_MS,
    });
    this.#client = clientOf(this.#provider);
    this.#client.connect = () => this.#connect();
  }

  send(push: OutgoingPush): Promise<ProviderAnswer> {
    return this.#underWay.run(() => this.#send(push));
  }

  async close(): Promise<void> {
    await this.#underWay.end();
    const { session } = this.#client;
    await this.#provider.shutdown();
    await session?.end();
  }

  async #send(push: OutgoingPush): Promise<ProviderAnswer> {
    const headers = apnsHeaders(push);
    if (typeof headers === 'string') return { kind: 'unsendable', reason: headers };
    const answer = await this.#sendOnce(push, headers);
    // The library has made itself a new provider token on hearing this.
    const isTokenOld = answer.kind === 'refused' && answer.reason === 'ExpiredProviderToken';
    return isTokenOld ? this.#sendOnce(push, headers) : answer;
  }

  #sendOnce(push: OutgoingPush, headers: ApnsHeaders): Promise<ProviderAnswer> {
    const call: ApnsCall = { startedAt: performance.now(), isWithdrawn: push.isWithdrawn };
    const sending = apnsCall.run(call, () => this.#sendFor(call, push, headers));
    return withinDeadline<ProviderAnswer>(this.settings.deadlineMs, sending, () => {
      giveUp(call);
      return { kind: 'unanswered', reason: 'deadline' };
    });
  }

  async #sendFor(
    call: ApnsCall,
    push: OutgoingPush,
    headers: ApnsHeaders,
  ): Promise<ProviderAnswer> {
    const notification = notificationOf(push, headers);
    const answer = answerOf(await this.#provider.send(notification, push.token), call);
    if (speaksOfConnection(answer)) call.session?.retire();
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
    const { host, port, certificateAuthority: ca, credential, deadlineMs } = this.settings;
    this.#client.session = await ApnsSession.connect(
      `https://${host}:${port}`,
      {
        ...(ca !== undefined && { ca }),
        ...(credential.kind === 'certificate' && {
          cert: credential.certificate,
          key: credential.key,
        }),
      },
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

function signInOf({
  credential,
}: ApnsSettings): Pick<apn.ProviderOptions, 'token' | 'cert' | 'key'> {
  if (credential.kind === 'certificate') {
    return { cert: credential.certificate, key: credential.key };
  }
  const { key, keyId, teamId } = credential;
  return { token: { key, keyId, teamId } };
}

function notificationOf(push: OutgoingPush, headers: ApnsHeaders): apn.Notification {
  const notification = new apn.Notification();
  notification.rawPayload = apnsPayload(push);
  notification.id = headers.id;
  notification.collapseId = headers.collapseId;
  notification.topic = headers.topic;
  notification.pushType = headers.pushType;
  notification.priority = headers.priority;
  notification.expiry = headers.expiration;
  return notification;
}

function answerOf(
  { sent, failed: [failure] }: apn.Responses<apn.ResponseSent, apn.ResponseFailure>,
  call: ApnsCall,
): ProviderAnswer {
  if (call.wasWithdrawn) return { kind: 'withdrawn' };
  const { status, retryAfter } = call;
  if (sent.length > 0) return { kind: 'accepted' };
  if (status === undefined) return { kind: 'unanswered', reason: 'connection' };
  const body = failure?.response ?? { reason: reasonByStatus(status, failure?.error) };
  return answerOfApns({ status, retryAfter, body }, Date.now());
}

/** For two reasons the library gives an error of its own in place of Apple's answer. */
function reasonByStatus(status: number, error: Error | undefined): string | undefined {
  if (status === 403 && error?.message === 'ExpiredProviderToken') return 'ExpiredProviderToken';
  return status === 500 ? 'InternalServerError' : undefined;
}
