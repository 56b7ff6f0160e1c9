import type { ApnsEnvironment, Platform } from '#push/jobs';
import { realmUrl } from '#platform/core';
import type { FcmTarget } from '#push/encryption';
import type { ProviderAnswer } from './provider-answer.rules.js';

/** Why a message is notified. */
export type MessageTrigger =
  | { readonly kind: 'direct' | 'mention' | 'wildcard_mention' | 'channel' }
  | {
      readonly kind: 'group_mention';
      readonly group: { readonly id: number; readonly name: string };
    };

/** A message as its recipient may see it. */
export interface NotifiedMessage {
  readonly id: number;
  /** UNIX seconds. */
  readonly sentAt: number;
  /** Plain text, already cut to the length that a notification shows. */
  readonly text: string;
  readonly sender: {
    readonly id: number;
    readonly email: string;
    readonly fullName: string;
    readonly avatarUrl: string;
  };
  readonly place:
    | {
        readonly kind: 'channel';
        readonly channelId: number;
        readonly channelName: string;
        /** As apps show it: never empty. */
        readonly topic: string;
      }
    /** All participants, with the recipient and the sender, by ascending id. */
    | {
        readonly kind: 'direct';
        readonly people: readonly { readonly id: number; readonly fullName: string }[];
      };
}

/** The content of a push. */
export type PushContent =
  | {
      readonly kind: 'test';
      /** The time of the request, in UNIX seconds. */
      readonly time: number;
    }
  | {
      readonly kind: 'message';
      readonly trigger: MessageTrigger;
      /** Whether it neither lights the screen of an iPhone nor sounds; not in encrypted pushes. */
      readonly isPassive?: boolean | undefined;
      /** The number on the icon of an app of Apple that has asked for it; left out for others. */
      readonly badge?: number;
      readonly message: NotifiedMessage;
    }
  /** Removes these messages from the screen. */
  | { readonly kind: 'remove'; readonly messageIds: readonly number[]; readonly badge?: number };

/** A content that only the device can read. */
export interface EncryptedContent {
  readonly kind: 'encrypted';
  /** Whether nothing is shown, as for a removal. */
  readonly isSilent: boolean;
  /** From 0 to 2^32 - 1; names the key of the app that decrypts `data`. */
  readonly keyId: number;
  /** In base64. */
  readonly data: string;
}

/** A content that another server has made. */
export interface PreparedContent {
  readonly kind: 'prepared';
  /** Whether nothing is shown, as for a removal. */
  readonly isSilent: boolean;
  /** Null for FCM. */
  readonly apnsUrgency: ApnsUrgency | null;
  /** For Apple the whole body. For Google the data, whose values are texts. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The urgency of a notification, in the values of Apple's headers. */
export interface ApnsUrgency {
  readonly pushType: 'alert' | 'background';
  readonly priority: 10 | 5 | 1;
}

/** Asks a new subscription of Web Push for its confirmation. */
export interface ConfirmContent {
  readonly kind: 'confirm';
  readonly subscriptionId: number;
  /** The client returns it, which proves that it can read. */
  readonly token: string;
}

/** The clients of Web Push: browsers, and phones without Google. */
export const webPushKinds = ['browser', 'unifiedpush'] as const;
export type WebPushKind = (typeof webPushKinds)[number];

/** A subscription of Web Push: the keys of a push to its endpoint, and what the service has answered before. */
export interface WebPushTarget {
  readonly kind: WebPushKind;
  /** The public key of the client: 65 bytes. */
  readonly p256dh: Buffer;
  /** The authentication secret of the client: 16 bytes. */
  readonly auth: Buffer;
  /** The key pair of this server that the subscription was made with. */
  readonly vapidKeyId: number;
  /** Messages that the account has read, whose notifications a browser is to close. */
  readonly readMessageIds: readonly number[];
  /** The first failure since the last accepted push, in UNIX milliseconds; null without one, and for a service of browsers. */
  readonly failingSince: number | null;
  /** Since when the service says that the subscription is gone, in UNIX milliseconds; null when it does not. */
  readonly goneSince: number | null;
  /** The refused pushes since the last accepted one. */
  readonly refusedCount: number;
}

/** The account that a notification is for, as payloads name it. */
export interface Recipient {
  readonly userId: number;
  readonly realmId: number;
  readonly realmName: string;
  readonly realmUrl: string;
  /** The host of the server. */
  readonly server: string;
}

/** An account that is notified, and its organisation. */
export interface NotifiedAccount {
  readonly userId: number;
  readonly realm: { readonly id: number; readonly name: string; readonly subdomain: string };
}

/** The recipient of a notification to an account, on the server with this address. */
export const recipientOf = (server: URL, { userId, realm }: NotifiedAccount): Recipient => ({
  userId,
  realmId: realm.id,
  realmName: realm.name,
  realmUrl: realmUrl(server, realm.subdomain),
  server: server.host,
});

/** An account as the push service of another server knows it, with the tokens of its phones that get plain text. */
export interface RelayedAccount {
  readonly userUuid: string;
  readonly realmUuid: string;
  readonly androidTokens: readonly string[];
  readonly appleTokens: readonly string[];
}

/** The recipient of a prepared content, which names its recipient itself. */
export const NO_RECIPIENT: Recipient = {
  userId: 0,
  realmId: 0,
  realmName: '',
  realmUrl: '',
  server: '',
};

/** One notification to one device. */
export interface OutgoingPush {
  readonly notificationId: string;
  /** The notification in whose place phones show this one; left out for most. */
  readonly replaces?: string | undefined;
  /** A UUID of this notification to this device, the same for each attempt. */
  readonly deliveryId: string;
  /** The push token; the endpoint of a subscription of Web Push. */
  readonly token: string;
  /** The APNs topic of the device; null for others. */
  readonly appId: string | null;
  /** Apple's environment of the token; null if unknown. */
  readonly environment: ApnsEnvironment | null;
  /** What Google takes the token for; without it the form of the token decides. */
  readonly fcmTarget?: FcmTarget | null;
  /** UNIX milliseconds; the provider gives up then. */
  readonly expiresAt: number;
  readonly recipient: Recipient;
  readonly content: PushContent | EncryptedContent | PreparedContent | ConfirmContent;
  /** Set for a subscription of Web Push. */
  readonly web?: WebPushTarget;
  /** Set on a server that relays: the token is then the id of the token, and a plain content is for the whole account. */
  readonly relayedFor?: RelayedAccount & { readonly platform: Platform };
  /** Called right before the push goes on the wire: whether it must not be sent. */
  readonly isWithdrawn: () => boolean;
}

/** One provider of push notifications. */
export interface PushTransport {
  /**
   * Sends once, without retries, and resolves within its deadline. Never rejects.
   * The caller bounds the number of concurrent calls.
   */
  send(push: OutgoingPush): Promise<ProviderAnswer>;
  /**
   * A name without secrets for the credential of this push, such as `TEAM123456/KEY1234567:production`. The
   * provider's answers about a credential hold for all pushes with this name. Left out by transports with one
   * credential.
   */
  credentialOf?(push: OutgoingPush): string;
  /**
   * A short digest of the push's topic when the configuration does not name that topic, else null. The
   * provider's answers about such a topic hold for that topic only. Left out by transports without topics.
   */
  unconfiguredTopicOf?(push: OutgoingPush): string | null;
  /**
   * Waits for the answers of the pushes in flight, then closes the connections: a transport may be replaced
   * during operation. No push may be sent after this call.
   */
  close(): Promise<void>;
}

/** The name of the circuit breaker for pushes without a credential. */
export const NO_CREDENTIAL = 'no credential';

/** The transport of a provider without credentials: every push waits for a configuration. */
export class UnconfiguredTransport implements PushTransport {
  send(): Promise<ProviderAnswer> {
    return Promise.resolve({ kind: 'misconfigured', reason: 'no credentials are configured' });
  }

  credentialOf(): string {
    return NO_CREDENTIAL;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
