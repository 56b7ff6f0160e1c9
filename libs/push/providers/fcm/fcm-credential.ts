import type { OutboundProxy } from '#platform/outbound';

/** The used fields of a service account's key file. */
export interface ServiceAccount {
  readonly clientEmail: string;
  readonly privateKey: string;
  readonly privateKeyId: string;
  readonly tokenUri: string;
}

/** One project of Firebase, and the account for it. */
export interface FcmSettings {
  readonly host: string;
  readonly port: number;
  /** PEM; the system's authorities when left out. */
  readonly certificateAuthority?: string | undefined;
  /** The way to Google, also for access tokens; left out for a direct one. */
  readonly proxy?: OutboundProxy | undefined;
  readonly projectId: string;
  readonly account: ServiceAccount;
  /** Whether messages may be delivered over satellite links and other constrained networks. */
  readonly usesConstrainedNetworks: boolean;
  /** Bounds the duration of each send. A late answer is awaited for as long again. */
  readonly deadlineMs: number;
}
