import type { Platform } from '#platform/contracts';

/** An app of tokens. */
export interface AgedApp {
  /** The APNs topic; empty for FCM. */
  readonly app: string;
  readonly devices: number;
  /** The number of its devices that are old. */
  readonly old: number;
}

/** The old tokens of an app. */
export interface OldTokens {
  readonly platform: Platform;
  readonly app: string;
  /** They were registered before. */
  readonly before: Date;
  readonly now: Date;
}
