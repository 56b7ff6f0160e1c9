import { type PresenceTiming, presenceAnswers, type SeenTimes } from '#contracts';
import { legacyFragment, legacyStatus } from '../answer/answer.rules.js';
import { hiddenActiveSeconds, hiddenIdleSeconds } from '../state/merge.rules.js';

const SECONDS_PER_DAY = 86_400;

/** Somebody as the picture of an organisation shows them. */
export interface SeenPerson extends SeenTimes {
  /** The address that other users see. */
  readonly email: string;
}

/** What is told of one user. Times are UNIX seconds. */
export interface UserPicture {
  /** As last reported, however long ago that was. */
  readonly website: { readonly status: 'active' | 'idle'; readonly timestamp: number };
  readonly aggregated: {
    readonly status: 'active' | 'idle' | 'offline';
    readonly timestamp: number;
  };
}

/**
 * What is told of somebody who shares no presence: times as of going invisible, also where those at hand are from before
 * that, because presence or Redis is away and has not been told yet.
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

/** One user's presence, `offline` once the last report is older than that may be. */
export function userPicture(
  times: SeenTimes,
  { offlineThresholdSeconds }: PresenceTiming,
  nowSeconds: number,
): UserPicture {
  const website = legacyStatus(times);
  const isOffline = Math.floor(nowSeconds) - website.timestamp > offlineThresholdSeconds;
  return { website, aggregated: isOffline ? { ...website, status: 'offline' } : website };
}

/** Whom the picture of an organisation leaves out: who was last seen before these UNIX seconds. */
export const pictureReachesTo = (nowSeconds: number): number =>
  nowSeconds - presenceAnswers.defaultHistoryDays * SECONDS_PER_DAY;

/** The finished JSON text of an organisation's presence; `nowMs` is when it was read. */
export function realmPicture(people: readonly SeenPerson[], nowMs: number): string {
  const entries = people.map((person) => legacyFragment(person, JSON.stringify(person.email)));
  // Three decimals always: a reader may expect a fraction.
  return `{"server_timestamp":${(nowMs / 1000).toFixed(3)},"presences":{${entries.join(',')}}}`;
}
