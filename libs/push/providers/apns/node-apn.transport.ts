import { constants } from 'node:http2';
import apn from '@parse/node-apn';
import { withinDeadline, WorkInFlight } from '#platform/core';
import { ProxyFault } from '#platform/outbound';
import { type OpenSession, sessionsWith } from '../http2/open-session.js';
import { answerOfProxyFault, type ProviderAnswer } from '../transport/provider-answer.rules.js';
import type { OutgoingPush, PushTransport } from '../transport/push-transport.js';
import { answerOfApns, ConnectionPolicy } from './apns-answer.rules.js';
import type { ApnsSettings } from './apns-credential.js';
import { type ApnsHeaders, apnsHeaders, apnsPayload } from './apns-payload.rules.js';
import { type ApnsCall, apnsCall, ApnsSession } from './node-apn-session.js';

/** The deadline of the library is longer, so that ours always applies. */
const LIBRARY_SLACK_MS = 1000;

/** The part of the library's client that this driver replaces; it is not in the library's typings. */
interface PatchedClient {
  session?: ApnsSession;
  connect(): Promise<void>;
}

/**
 * Sends with `@parse/node-apn` over one connection. The library signs a provider token of its own and does not use
 * the source of tokens in the credential.
 *
 * One method of the library is replaced, `client.connect`: its own session has no check before a request goes on the
 * wire, drops Retry-After, and loses the requests in flight on GOAWAY.
 */
export class NodeApnTransport implements PushTransport {
  readonly #connections = new ConnectionPolicy();
  readonly #provider: apn.Provider;
  readonly #client: PatchedClient;
  readonly #inFlight = new WorkInFlight();
  readonly #open: OpenSession;
  #connecting: Promise<void> | undefined;
  /** Why the last connection could not be opened; the library does not tell. */
  #proxyFault: ProxyFault | undefined;

  constructor(private readonly settings: ApnsSettings) {
    const { host, port, certificateAuthority, credential, proxy, deadlineMs } = settings;
    const identity = credential.kind === 'certificate' ? credential : undefined;
    this.#open = sessionsWith({ host, port, certificateAuthority, identity, proxy });
    this.#provider = new apn.Provider({
      address: host,
      port,
      ...signInOf(settings),
      // Its own retries ignore Retry-After and follow each other within milliseconds.
      connectionRetryLimit: 0,
      requestTimeout: deadlineMs + LIBRARY_SLACK_MS,
    });
    this.#client = clientOf(this.#provider);
    this.#client.connect = () => this.#connect();
  }

  send(push: OutgoingPush): Promise<ProviderAnswer> {
    return this.#inFlight.track(this.#send(push));
  }

  async close(): Promise<void> {
    await this.#inFlight.settled();
    const { session } = this.#client;
    await this.#provider.shutdown();
    await session?.end();
  }

  async #send(push: OutgoingPush): Promise<ProviderAnswer> {
    const headers = apnsHeaders(push);
    if (typeof headers === 'string') return { kind: 'unsendable', reason: headers };
    const answer = await this.#sendOnce(push, headers);
    // The library has signed a new provider token.
    const isTokenExpired = answer.kind === 'refused' && answer.reason === 'ExpiredProviderToken';
    return isTokenExpired ? this.#sendOnce(push, headers) : answer;
  }

  #sendOnce(push: OutgoingPush, headers: ApnsHeaders): Promise<ProviderAnswer> {
    const call: ApnsCall = { startedAt: performance.now(), isWithdrawn: push.isWithdrawn };
    const sending = apnsCall.run(call, () => this.#sendFor(call, push, headers));
    return withinDeadline<ProviderAnswer>(this.settings.deadlineMs, sending, () => {
      giveUp(call);
      // The library does not tell whether the request has left.
      return { kind: 'unanswered', reason: 'deadline', wasSent: true };
    });
  }

  async #sendFor(
    call: ApnsCall,
    push: OutgoingPush,
    headers: ApnsHeaders,
  ): Promise<ProviderAnswer> {
    const notification = notificationOf(push, headers);
    const responses = await this.#provider.send(notification, push.token);
    // A push without a connection: the proxy, which the library does not know, gave none.
    if (call.session === undefined && this.#proxyFault !== undefined && !call.wasWithdrawn) {
      return answerOfProxyFault(this.#proxyFault);
    }
    const answer = answerOf(responses, call);
    if (this.#connections.retires(answer, performance.now())) call.session?.retire();
    return answer;
  }

  /** Replaces `client.connect`. Concurrent callers share one attempt. */
  #connect(): Promise<void> {
    this.#connecting ??= this.#openSession().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #openSession(): Promise<void> {
    try {
      this.#client.session = await ApnsSession.connect(this.#open, this.settings.deadlineMs);
      this.#proxyFault = undefined;
    } catch (error) {
      this.#proxyFault = error instanceof ProxyFault ? error : undefined;
      throw error;
    }
  }
}

function giveUp({ session, stream, startedAt }: ApnsCall): void {
  stream?.close(constants.NGHTTP2_CANCEL);
  // Other answers since then: only this push is slow, and the connection is alive.
  if (session !== undefined && !session.hasAnsweredSince(startedAt)) session.retire();
}

/** Throws for a version of the library without `client.connect`. */
function clientOf(provider: apn.Provider): PatchedClient {
  // Not in its typings, so the check is made at runtime.
  const { client } = provider as unknown as { client?: Partial<PatchedClient> };
  if (typeof client?.connect !== 'function') {
    throw new Error('This version of @parse/node-apn has no client.connect to replace');
  }
  return client as PatchedClient;
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
  const { status, retryAfter, uniqueId } = call;
  if (sent.length > 0) return { kind: 'accepted', ...(uniqueId !== undefined && { uniqueId }) };
  if (status === undefined) return { kind: 'unanswered', reason: 'connection', wasSent: true };
  const body = failure?.response ?? { reason: reasonByStatus(status, failure?.error) };
  return answerOfApns({ status, retryAfter, body }, Date.now());
}

/** For these two reasons the library returns an error of its own without Apple's answer. */
function reasonByStatus(status: number, error: Error | undefined): string | undefined {
  if (status === 403 && error?.message === 'ExpiredProviderToken') return 'ExpiredProviderToken';
  return status === 500 ? 'InternalServerError' : undefined;
}
