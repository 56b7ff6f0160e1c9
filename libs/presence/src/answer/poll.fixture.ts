import type { PresenceRequest } from '#contracts';

/** A poll of the first user of the first realm, with what a test wants to be different. */
export const pollWith = (different: Partial<PresenceRequest>): PresenceRequest => ({
  realmId: 1,
  userId: 1,
  joinedAt: 1,
  status: 'active',
  reportedAt: 1,
  isVisible: false,
  isGuest: false,
  isRealmPresenceDisabled: false,
  pingOnly: false,
  hasNewInput: false,
  lastUpdateId: -1,
  historyLimitDays: null,
  format: 'modern',
  encoding: null,
  ...different,
});
