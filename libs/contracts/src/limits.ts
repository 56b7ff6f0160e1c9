/** The most that an account or an organisation may have of each; docs/configuration.md explains them. */
export interface Limits {
  /** Per account and platform. */
  readonly devices: number;
  /** Per account, as all below down to `unfinishedBytes`. */
  readonly savedSnippets: number;
  readonly mutedUsers: number;
  readonly idempotencyKeys: number;
  readonly files: number;
  readonly unfinishedUploads: number;
  readonly unfinishedBytes: number;
  /** Per organisation, as all below. */
  readonly accounts: number;
  readonly customEmoji: number;
  readonly profileFields: number;
  readonly playgrounds: number;
  readonly defaultChannels: number;
}

/** DI token of the Limits. */
export const LIMITS = Symbol('Limits');
