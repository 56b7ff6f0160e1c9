import type { PresenceRequest } from '#presence/rpc';

/** An active report of the first user of the first realm that asks for all users, with the overrides of a test. */
export const presenceRequest = (different: Partial<PresenceRequest> = {}): PresenceRequest => ({
  realmId: 1,
  userId: 1,
  joinedAt: 1,
  status: 'active',
  reportedAt: 1000,
  isVisible: true,
  isGuest: false,
  isRealmPresenceDisabled: false,
  pingOnly: false,
  lastUpdateId: -1,
  historyLimitDays: null,
  format: 'modern',
  encoding: null,
  ...different,
});
