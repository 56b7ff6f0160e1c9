import type { PhonePlatform } from '#push/jobs';

/** A token to register at the push service, as the server of the phone sees it. */
export interface TokenRegistration {
  readonly realmId: number;
  /** The first eight bytes of the SHA-256 of the token. */
  readonly tokenId: Buffer;
  /** The key that the phone has sealed the registration to, in base64. */
  readonly servicePublicKey: string;
  /** In base64; only the push service can open it. */
  readonly sealed: string;
}

/** The answer of the push service. */
export type RegistrationAnswer =
  | {
      readonly kind: 'registered';
      /** Null where the service does not answer it: then that of the request. */
      readonly platform: PhonePlatform | null;
      /** The ids of the token in all spellings in which it may be stored. */
      readonly tokenIds: readonly Buffer[];
    }
  /** Final: apps know the code. */
  | { readonly kind: 'refused'; readonly code: string }
  /** The service has no answer now; the reason is for the log. `retryAfterMs`: the requested wait. */
  | { readonly kind: 'retry'; readonly reason: string; readonly retryAfterMs?: number | null };

/** The holder of the provider tokens: this installation, or another one. */
export interface PushService {
  /** Whether the tokens are in this database; otherwise it has only their ids. */
  readonly hasTokens: boolean;
  /** Whether devices can be registered at all. Rejects when a store is down. */
  isReady(): Promise<boolean>;
  /** Registers a token. A repeated registration refreshes it. Rejects when a store is down. */
  register(registration: TokenRegistration): Promise<RegistrationAnswer>;
}

/** DI token of the PushService. */
export const PUSH_SERVICE = Symbol('PushService');
