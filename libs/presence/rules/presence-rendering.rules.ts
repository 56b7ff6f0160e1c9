import { TimeSlice } from '#platform/core';
import type { PresenceTiming } from './presence-timing.js';
import type { SeenTimes } from '#presence/rpc';
import { legacyFragment, legacyStatus } from './answer.rules.js';
import { hiddenActiveSeconds, hiddenIdleSeconds } from './merge.rules.js';

/** A user in the presence of a realm. */
export interface UserTimes extends SeenTimes {
  /** The address that other users see. */
  readonly email: string;
}

/** The rendered presence of one user, in the modern and in the legacy format. Times are UNIX seconds. */
export interface UserPresenceResponse {
  readonly active_timestamp: number;
  readonly idle_timestamp: number;
  /** As last reported, regardless of the age. */
  readonly website: { readonly status: 'active' | 'idle'; readonly timestamp: number };
  readonly aggregated: {
    readonly status: 'active' | 'idle' | 'offline';
    readonly timestamp: number;
  };
}

/**
 * The times that are shown for an invisible user. The stored times may be from before the user went invisible, if presence
 * or Redis was unavailable at that moment.
 */
export function hiddenTimes(
  { activeAt, idleAt }: SeenTimes,
  timing: PresenceTiming,
  nowSeconds: number,
): SeenTimes {
  const now = Math.floor(nowSeconds);
  return {
    activeAt: Math.min(activeAt, now - hiddenActiveSeconds(timing)),
    idleAt: Math.min(idleAt, now - hiddenIdleSeconds(timing)),
  };
}

/** The presence of one user; `offline` after the offline threshold. */
export function renderUserPresence(
  times: SeenTimes,
  { offlineThresholdSeconds }: PresenceTiming,
  nowSeconds: number,
): UserPresenceResponse {
  const website = legacyStatus(times);
  const isOffline = Math.floor(nowSeconds) - website.timestamp > offlineThresholdSeconds;
  return {
    active_timestamp: times.activeAt,
    idle_timestamp: times.idleAt,
    website,
    aggregated: isOffline ? { ...website, status: 'offline' } : website,
  };
}

/** Users between two looks at the clock. */
const USERS_OF_PART = 500;

/** The finished JSON of the presence of a realm, made in time slices; `nowMs` is the time of the read. */
export async function renderRealmPresence(
  users: Iterable<UserTimes>,
  nowMs: number,
): Promise<string> {
  const slice = new TimeSlice();
  const parts: string[] = [];
  let entries: string[] = [];
  for (const user of users) {
    entries.push(legacyFragment(user, JSON.stringify(user.email)));
    if (entries.length < USERS_OF_PART) continue;
    parts.push(entries.join(','));
    entries = [];
    await slice.next();
  }
  if (entries.length > 0) parts.push(entries.join(','));
  // Always three decimals: a reader may expect a fraction.
  return `{"server_timestamp":${(nowMs / 1000).toFixed(3)},"presences":{${parts.join(',')}}}`;
}
