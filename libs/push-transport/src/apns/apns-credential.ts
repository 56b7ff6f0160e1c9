import type { SignIn } from '../transport/send-signed-in.js';

/**
 * Where the provider tokens of one Apple team come from, signed JWTs; all who send for the team share them.
 * A token that was refused is replaced as soon as Apple lets another be made.
 */
export type ProviderTokenSource = SignIn;

/** How to sign in with Apple: as a team, by a key (.p8), or as one app, by a certificate. All of it PEM. */
export type ApnsCredential =
  | {
      readonly kind: 'token';
      readonly key: string;
      readonly keyId: string;
      readonly teamId: string;
      readonly tokens: ProviderTokenSource;
    }
  | { readonly kind: 'certificate'; readonly certificate: string; readonly key: string };

/** One environment of Apple's, and who sends there. */
export interface ApnsSettings {
  readonly host: string;
  readonly port: number;
  /** PEM; the system's authorities when left out. */
  readonly certificateAuthority?: string | undefined;
  readonly credential: ApnsCredential;
  /** Each send is answered within this. */
  readonly deadlineMs: number;
}
