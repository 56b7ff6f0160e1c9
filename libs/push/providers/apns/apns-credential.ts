import type { OutboundProxy } from '#platform/outbound';
import type { ApnsEnvironment } from '#push/jobs';
import type { AccessTokenSource } from '../transport/send-signed-in.js';

/** How this server signs in with Apple: with a team's key (.p8) or with an app's certificate, in PEM. */
export type ApnsSignIn =
  | {
      readonly kind: 'token';
      readonly key: string;
      readonly keyId: string;
      readonly teamId: string;
    }
  | {
      readonly kind: 'certificate';
      readonly certificate: string;
      readonly key: string;
    };

/** Apps that this server sends to with one sign-in. */
export interface ApnsApp {
  /** Null: all topics that no other app names. */
  readonly topics: readonly string[] | null;
  readonly environments: readonly ApnsEnvironment[];
  readonly signIn: ApnsSignIn;
}

/**
 * The provider tokens (signed JWTs) of one Apple team, shared by all senders of the team. A rejected token is
 * replaced as soon as Apple allows a new one.
 */
export type ProviderTokenSource = AccessTokenSource;

/** A sign-in; a team's key with its source of tokens. */
export type ApnsCredential =
  | (ApnsSignIn & { readonly kind: 'token'; readonly tokens: ProviderTokenSource })
  | (ApnsSignIn & { readonly kind: 'certificate' });

/** One environment of Apple, and the credential for it. */
export interface ApnsSettings {
  readonly host: string;
  readonly port: number;
  /** PEM; the system's authorities when left out. */
  readonly certificateAuthority?: string | undefined;
  /** The way to Apple; left out for a direct one. */
  readonly proxy?: OutboundProxy | undefined;
  readonly credential: ApnsCredential;
  /** Bounds the duration of each send. */
  readonly deadlineMs: number;
}
