import type { Limits } from '#platform/contracts';

/** Limits that no test reaches by accident. */
export const usualLimits: Limits = {
  devices: 1000,
  savedSnippets: 1000,
  eventQueues: 100,
  mutedUsers: 1000,
  userTopics: 1000,
  idempotencyKeys: 1000,
  files: 1000,
  unfinishedUploads: 1000,
  unfinishedBytes: 1_000_000_000,
  accounts: 1000,
  customEmoji: 1000,
  profileFields: 1000,
  playgrounds: 1000,
  channels: 1000,
  defaultChannels: 1000,
};
