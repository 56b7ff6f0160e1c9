import type { PhonePlatform } from '#push/jobs';

/** The number of an app's tokens, and how many of them are old. */
export interface AgedApp {
  /** The APNs topic; empty for FCM. */
  readonly app: string;
  /** The number of all its tokens. */
  readonly devices: number;
  /** The number of its tokens that are old. */
  readonly old: number;
}

/** The old tokens of an app. */
export interface OldTokens {
  readonly platform: PhonePlatform;
  /** The APNs topic; empty for FCM. */
  readonly app: string;
  /** Their last registration was before this time. */
  readonly before: Date;
  /** The time of the pass, at which they end. */
  readonly now: Date;
}
