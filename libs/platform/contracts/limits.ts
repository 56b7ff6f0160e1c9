/** The caps of the lists of an account or an organisation; see docs/configuration.md. */
export interface Limits {
  /** Per account and platform. */
  readonly devices: number;
  /** Per account, down to `unfinishedBytes`. */
  readonly savedSnippets: number;
  readonly eventQueues: number;
  readonly mutedUsers: number;
  readonly userTopics: number;
  readonly idempotencyKeys: number;
  readonly files: number;
  readonly unfinishedUploads: number;
  readonly unfinishedBytes: number;
  /** Per organisation, to the end. */
  readonly accounts: number;
  readonly customEmoji: number;
  readonly profileFields: number;
  readonly playgrounds: number;
  readonly channels: number;
  readonly defaultChannels: number;
}

/** DI token of the Limits. */
export const LIMITS = Symbol('Limits');

/** The state of a rate limit after a charge: the state of its widest rule. */
export interface LimitState {
  readonly limit: number;
  readonly remaining: number;
  /** UNIX seconds, whole. */
  readonly resetsAt: number;
}
