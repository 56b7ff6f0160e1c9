import { LRUCache } from 'lru-cache';
import { atMost, type Clock, systemClock, withinDeadline, WorkInFlight } from '#platform/core';
import { PrivateAddress } from '#platform/outbound';
import type { Http2Outcome } from '../http2/http2-exchange.js';
import { answerFrom } from '../transport/http2-answer.rules.js';
import type { ProviderAnswer } from '../transport/provider-answer.rules.js';
import type { OutgoingPush, PushTransport, WebPushTarget } from '../transport/push-transport.js';
import { CheckedNames, isUnknownName, type ResolveName } from './checked-names.js';
import { HostConnections } from './host-connections.js';
import { HostSlots } from './host-slots.js';
import { encryptMessage, MAX_TEXT_BYTES } from './message-encryption.js';
import { ServiceConnections } from './service-connections.js';
import type { VapidKey } from './vapid-key.js';
import { VapidSignIn } from './vapid-sign-in.js';
import { answerOfWebPush } from './web-push-answer.rules.js';
import {
  type EndpointPolicy,
  isEndpointAllowed,
  type KnownService,
  knownServiceOf,
  originName,
  parseEndpoint,
  type WebPushEndpoint,
} from './web-push-endpoint.rules.js';
import type { ConnectionSettings } from './web-push-http.js';
import { NOT_ALLOWED, UNKNOWN_KEY } from './web-push-outcomes.rules.js';
import { webPushHeaders } from './web-push-request.rules.js';

/** A text of this size is sent once more to a service for which the first one was too large. */
const SMALL_TEXT_BYTES = 1280;
/** An accepted push shows for so long that the sign-in of its key at the origin is right. */
const KEY_PROOF_MS = 3_600_000;
const MAX_PROOFS = 10_000;
/** Services that spoke no HTTP/2; asked again after an hour. */
const MAX_HTTP1_ORIGINS = 100;
const HTTP1_FOR_MS = 3_600_000;
const HOST_LIMITS = { perHost: 5, inAll: 200, waitingPerHost: 5 };
/** For a service of browsers without HTTP/2. */
const SERVICE_LIMITS = { perHost: 50, inAll: 200 };

export interface WebPushSettings extends Omit<ConnectionSettings, 'lookup'> {
  readonly endpoints: EndpointPolicy;
  /** `mailto:…` or `https://…`; null: nothing can be sent. */
  readonly contact: string | null;
  /** Bounds the duration of each send. */
  readonly deadlineMs: number;
  /** The VAPID key pair with this id; null for an unknown one. Rejects if it cannot be read. */
  readonly keyOf: (id: number) => Promise<VapidKey | null>;
  /** The text of a push, of at most this number of bytes. */
  readonly textOf: (push: OutgoingPush, maxBytes: number) => string;
  /** Only tests give it. */
  readonly resolve?: ResolveName;
}

/** A push that may be sent: its subscription, where it goes, and the sign-in there. */
interface ReadyPush {
  readonly push: OutgoingPush;
  readonly target: WebPushTarget;
  readonly endpoint: WebPushEndpoint;
  /** Null for a host that users have chosen. */
  readonly service: KnownService | null;
  readonly key: VapidKey;
  readonly authorization: string;
  /** Of `performance.now()`. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}

/** Sends to the push services of browsers, and to others that users have chosen (RFC 8030, 8291, 8292). */
export class WebPushTransport implements PushTransport {
  readonly #signIn: VapidSignIn | null;
  readonly #names: CheckedNames;
  readonly #services: ServiceConnections;
  readonly #plainServices: HostConnections;
  readonly #hosts: HostConnections;
  readonly #slots = new HostSlots(HOST_LIMITS);
  readonly #inFlight = new WorkInFlight();
  /** When an origin last accepted a push with a key, in UNIX milliseconds. */
  readonly #accepted = new LRUCache<string, number>(atMost(MAX_PROOFS));
  readonly #http1 = new LRUCache<string, true>({ max: MAX_HTTP1_ORIGINS, ttl: HTTP1_FOR_MS });

  constructor(
    private readonly settings: WebPushSettings,
    private readonly clock: Clock = systemClock,
  ) {
    const { contact, endpoints, resolve, certificateAuthority, proxy } = settings;
    this.#signIn = contact === null ? null : new VapidSignIn(contact, clock);
    this.#names = new CheckedNames(endpoints, resolve);
    const connections = { certificateAuthority, proxy, lookup: this.#names.lookup };
    this.#services = new ServiceConnections(connections);
    this.#plainServices = new HostConnections(connections, SERVICE_LIMITS);
    this.#hosts = new HostConnections(connections, HOST_LIMITS);
  }

  send(push: OutgoingPush): Promise<ProviderAnswer> {
    const abort = new AbortController();
    const deadline = performance.now() + this.settings.deadlineMs;
    const sending = this.#send(push, deadline, abort.signal);
    const answer = withinDeadline<ProviderAnswer>(this.settings.deadlineMs, sending, () => {
      abort.abort();
      return sending;
    });
    return this.#inFlight.track(answer);
  }

  credentialOf({ token }: OutgoingPush): string {
    return originName(token);
  }

  async close(): Promise<void> {
    await this.#inFlight.settled();
    this.#hosts.close();
    this.#plainServices.close();
    await this.#services.close();
  }

  async #send(push: OutgoingPush, deadline: number, signal: AbortSignal): Promise<ProviderAnswer> {
    const { web: target, token } = push;
    if (target === undefined) return noSubscription;
    const endpoint = parseEndpoint(token);
    if (endpoint === null || !isEndpointAllowed(endpoint, this.settings.endpoints)) {
      return { kind: 'unsendable', reason: NOT_ALLOWED };
    }
    const signedIn = await untilAborted(this.#signInAt(endpoint, target.vapidKeyId), signal);
    if ('kind' in signedIn) return signedIn;
    const service = knownServiceOf(endpoint.host);
    const ready = { push, target, endpoint, service, deadline, signal, ...signedIn };
    const obstacle = await untilAborted(this.#obstacleOf(ready), signal);
    if (obstacle !== null) return obstacle;
    if (service !== null) return this.#attempts(ready);
    const release = await this.#slots.take(endpoint.host, signal);
    if (release === null) return signal.aborted ? late : { kind: 'unanswered', reason: 'busy' };
    try {
      return await this.#attempts(ready);
    } finally {
      release();
    }
  }

  /** The key and the header; or the answer without them. */
  async #signInAt(
    { origin }: WebPushEndpoint,
    keyId: number,
  ): Promise<Pick<ReadyPush, 'key' | 'authorization'> | ProviderAnswer> {
    if (this.#signIn === null) {
      return { kind: 'misconfigured', reason: 'WEB_PUSH_CONTACT is not set' };
    }
    try {
      const key = await this.settings.keyOf(keyId);
      if (key === null) return { kind: 'unsendable', reason: UNKNOWN_KEY };
      return { key, authorization: await this.#signIn.authorizationFor(origin, key) };
    } catch {
      return { kind: 'misconfigured', reason: 'the VAPID key cannot be read' };
    }
  }

  /** Null if there is a way to the host. */
  async #obstacleOf({ endpoint, service }: ReadyPush): Promise<ProviderAnswer | null> {
    const { host, port } = endpoint;
    // The proxy resolves names.
    if (this.settings.proxy?.isFor(host, port) === true) return null;
    try {
      await this.#names.addressesOf(host);
      return null;
    } catch (error) {
      if (error instanceof PrivateAddress && service === null) {
        return { kind: 'unsendable', reason: NOT_ALLOWED };
      }
      return { kind: 'unanswered', reason: isUnknownName(error) ? 'name' : 'connection' };
    }
  }

  /** A service that finds the push too large gets it once more with less of its text. */
  async #attempts(ready: ReadyPush): Promise<ProviderAnswer> {
    const answer = await this.#attempt(ready, MAX_TEXT_BYTES);
    const isTooLarge = answer.kind === 'refused' && answer.status === 413;
    return isTooLarge ? this.#attempt(ready, SMALL_TEXT_BYTES) : answer;
  }

  async #attempt(ready: ReadyPush, maxBytes: number): Promise<ProviderAnswer> {
    const { push, target, endpoint, service, key, authorization } = ready;
    const text = this.settings.textOf(push, maxBytes);
    if (Buffer.byteLength(text) > maxBytes) {
      return { kind: 'unsendable', reason: 'PayloadTooLarge' };
    }
    const body = encryptMessage(target, text);
    if (body === null) return noSubscription;
    const outcome = await this.#post(ready, {
      endpoint,
      headers: { ...webPushHeaders(push, this.clock()), authorization },
      body,
      isWithdrawn: push.isWithdrawn,
    });
    const name = `${key.id} ${endpoint.origin}`;
    return answerFrom(outcome, (reply) => {
      const now = this.clock();
      const isKeyAccepted = now - (this.#accepted.get(name) ?? 0) < KEY_PROOF_MS;
      const answer = answerOfWebPush(reply, { service, isKeyAccepted }, now);
      if (answer.kind === 'accepted') this.#accepted.set(name, now);
      return answer;
    });
  }

  /** By HTTP/2 to the services of browsers; one that does not speak it is asked by HTTP/1.1. */
  async #post(
    { endpoint, service, deadline, signal }: ReadyPush,
    request: Parameters<HostConnections['post']>[0],
  ): Promise<Http2Outcome> {
    if (service === null) return this.#hosts.post(request, signal);
    const { origin } = endpoint;
    if (this.#http1.has(origin)) return this.#plainServices.post(request, signal);
    const outcome = await this.#services.post(request, deadline - performance.now());
    const isUnsent =
      outcome.kind === 'unanswered' && outcome.reason === 'connection' && !outcome.wasSent;
    if (!isUnsent) return outcome;
    const second = await this.#plainServices.post(request, signal);
    if (second.kind === 'reply') this.#http1.set(origin, true);
    return second;
  }
}

const noSubscription: ProviderAnswer = { kind: 'unsendable', reason: 'NoSubscription' };

const late: ProviderAnswer = { kind: 'unanswered', reason: 'deadline' };

/** Settles like `work`, or as "no answer" when `signal` is aborted before. */
const untilAborted = <Result>(
  work: Promise<Result>,
  signal: AbortSignal,
): Promise<Result | ProviderAnswer> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => resolve(late));
    work.then(resolve, reject);
  });
