import type { ApnsEnvironment } from '#contracts';
import type { PushContent } from './push-content.js';

/** The account that a notification is for, as payloads name it. */
export interface Recipient {
  readonly userId: number;
  readonly realmId: number;
  readonly realmName: string;
  readonly realmUrl: string;
  /** Host of the server that the organisation lives on. */
  readonly server: string;
}

/** One notification to one device. */
export interface OutgoingPush {
  readonly notificationId: string;
  /** A UUID of this notification to this device: the same at each attempt. */
  readonly deliveryId: string;
  readonly token: string;
  /** The APNs topic of the device; FCM has none. */
  readonly appId: string | null;
  /** Apple's environment that the token belongs to, where that is known. */
  readonly environment: ApnsEnvironment | null;
  /** UNIX milliseconds; the provider gives up then. */
  readonly expiresAt: number;
  readonly recipient: Recipient;
  readonly content: PushContent;
  /** Asked at the last moment before the push goes on the wire: whether it must not any more. */
  readonly isWithdrawn: () => boolean;
}

/** The provider's "no". */
export interface Refusal {
  readonly kind: 'refused';
  /** HTTP status. */
  readonly status: number;
  /** The provider's documented reason; for FCM only what its own error detail says. */
  readonly reason: string | null;
  /** FCM: names fields of the message that are wrong. */
  readonly namesFields: boolean;
  /** The least delay that the provider asks for. */
  readonly retryAfterMs: number | null;
  /** APNs: since when it has known that the token is dead, in UNIX milliseconds. */
  readonly deadSince: number | null;
}

/** What came of one attempt to send. */
export type ProviderAnswer =
  /** With Apple's environment that took it, where there was one to find out. */
  | { readonly kind: 'accepted'; readonly environment?: ApnsEnvironment }
  | Refusal
  /** No telling whether it was delivered: no answer in time, or the connection was lost. */
  | { readonly kind: 'unanswered'; readonly reason: 'deadline' | 'connection' }
  /** Not sent: it was withdrawn while a connection was being made. */
  | { readonly kind: 'withdrawn' }
  /** Not sent: what we made of it cannot be sent to anyone. */
  | { readonly kind: 'unsendable'; readonly reason: string }
  /** Not sent: the provider cannot be used with what is configured. */
  | { readonly kind: 'misconfigured'; readonly reason: string };

/** One provider of push notifications. */
export interface PushTransport {
  /**
   * Sends once, without retries of its own, and answers within its deadline. Never rejects.
   * The caller bounds how many calls run at the same time.
   */
  send(push: OutgoingPush): Promise<ProviderAnswer>;
  /**
   * Names the credential that this push goes by, without telling anything of it, such as
   * `TEAM123456/KEY1234567:production`. What the provider has against a credential holds for all
   * pushes of this name and for no others. Left out by transports that have one credential.
   */
  credentialOf?(push: OutgoingPush): string;
  /**
   * A short digest of the push's topic when the configuration does not name that topic, else null. The
   * provider's answers about such a topic hold for that topic only. Left out by transports without topics.
   */
  foreignTopicOf?(push: OutgoingPush): string | null;
  /**
   * Waits for the last answer of what is under way, and then closes the connections: a transport may be
   * replaced while it works. To be called when nothing more will be sent by it.
   */
  close(): Promise<void>;
}

/** A refusal, with nothing where the provider said nothing. */
export const refusal = (
  given: Pick<Refusal, 'status' | 'reason'> & Partial<Omit<Refusal, 'kind'>>,
): Refusal => ({
  kind: 'refused',
  namesFields: false,
  retryAfterMs: null,
  deadSince: null,
  ...given,
});
