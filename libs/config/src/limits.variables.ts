import { rateRules, wholeNumber } from './variable-types.js';

const MEBIBYTE = 1_048_576;

const most = (usual: number) => wholeNumber(1, 10_000_000).default(usual);

/** The caps of lists that an account or an organisation can grow. */
export const limitVariables = {
  MAX_DEVICES: most(50),
  MAX_SAVED_SNIPPETS: most(1000),
  MAX_MUTED_USERS: most(5000),
  MAX_IDEMPOTENCY_KEYS: most(100_000),
  MAX_FILES: most(100_000),
  MAX_UNFINISHED_UPLOADS: most(20),
  MAX_ACCOUNTS: most(100_000),
  MAX_CUSTOM_EMOJI: most(5000),
  MAX_PROFILE_FIELDS: most(200),
  MAX_PLAYGROUNDS: most(1000),
  MAX_DEFAULT_CHANNELS: most(1000),
  RATE_LIMIT_TEST_NOTIFICATIONS: rateRules.default([{ seconds: 60, calls: 1000 }]),
};

/** What becomes of an upload that is not finished, and how much disk is left alone. */
export const unfinishedUploadVariables = {
  UNFINISHED_UPLOAD_SECONDS: wholeNumber(60, 604_800).default(3600),
  MIN_FREE_DISK_MIB: wholeNumber(0, 1_048_576).default(256),
};

type LimitValues = { readonly [Name in keyof typeof limitVariables]: unknown } & {
  readonly [Name in Exclude<keyof typeof limitVariables, 'RATE_LIMIT_TEST_NOTIFICATIONS'>]: number;
};

/** The caps by the names that the libs know them by. */
export const limitsOf = (values: LimitValues, largestFileMib: number) => ({
  devices: values.MAX_DEVICES,
  savedSnippets: values.MAX_SAVED_SNIPPETS,
  mutedUsers: values.MAX_MUTED_USERS,
  idempotencyKeys: values.MAX_IDEMPOTENCY_KEYS,
  files: values.MAX_FILES,
  unfinishedUploads: values.MAX_UNFINISHED_UPLOADS,
  /** Of all unfinished uploads of an account together. */
  unfinishedBytes: 2 * largestFileMib * MEBIBYTE,
  accounts: values.MAX_ACCOUNTS,
  customEmoji: values.MAX_CUSTOM_EMOJI,
  profileFields: values.MAX_PROFILE_FIELDS,
  playgrounds: values.MAX_PLAYGROUNDS,
  defaultChannels: values.MAX_DEFAULT_CHANNELS,
});
