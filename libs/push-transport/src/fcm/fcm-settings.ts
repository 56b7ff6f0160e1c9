import type { ServiceAccount } from './fcm-access-token.js';

/** One project of Firebase, and who sends there. */
export interface FcmSettings {
  readonly host: string;
  readonly port: number;
  /** PEM; the system's authorities when left out. */
  readonly certificateAuthority?: string | undefined;
  readonly projectId: string;
  readonly account: ServiceAccount;
  /** Each send is answered within this. */
  readonly deadlineMs: number;
}
