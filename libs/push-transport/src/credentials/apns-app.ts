import type { ApnsEnvironment } from '#contracts';

/** What this server signs in with: a team's key, or an app's certificate. All of it PEM. */
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

/** Apps that this server sends to, and how it signs in with Apple for them. */
export interface ApnsApp {
  /** Their topics; null: every topic that nothing else names. */
  readonly topics: readonly string[] | null;
  readonly environments: readonly ApnsEnvironment[];
  readonly signIn: ApnsSignIn;
}
