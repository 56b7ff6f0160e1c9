import { presenceAnswers } from './presence-answers.js';
import type { PresenceRequest, SeenTimes } from '#presence/rpc';

const SECONDS_PER_DAY = 86_400;

/** Below every update id, and above every update id. */
const EVERYONE = -1;
const NOBODY = Number.POSITIVE_INFINITY;

/** The part of the state that an answer shows: changes above `aboveId` of users seen since `seenSince`. */
export interface AnswerWindow {
  readonly aboveId: number;
  /** UNIX seconds, or null for no limit. */
  readonly seenSince: number | null;
}

/**
 * A cursor above 0 asks for later changes; any other cursor asks for all users who were seen in the last days. Without
 * days (0 or fewer), no user is shown.
 */
export function answerWindow(
  request: Pick<PresenceRequest, 'lastUpdateId' | 'historyLimitDays'>,
  nowSeconds: number,
): AnswerWindow {
  const cursor = cursorOf(request);
  if (cursor >= 0) return { aboveId: cursor, seenSince: null };
  const days = request.historyLimitDays ?? presenceAnswers.defaultHistoryDays;
  if (days <= 0) return { aboveId: NOBODY, seenSince: null };
  return { aboveId: EVERYONE, seenSince: historyCutoff(nowSeconds, days) };
}

/** The cursor of a request; negative if it asks for all users. */
export const cursorOf = ({ lastUpdateId }: Pick<PresenceRequest, 'lastUpdateId'>): number =>
  lastUpdateId !== null && lastUpdateId > 0 ? lastUpdateId : -1;

/** Users who were last seen before this time, in UNIX seconds, are omitted. */
export const historyCutoff = (
  nowSeconds: number,
  days: number = presenceAnswers.defaultHistoryDays,
): number => nowSeconds - days * SECONDS_PER_DAY;

/**
 * The cursor of an answer. It is never below the passed one and moves only together with entries, so that an equal cursor
 * means no news. `position` is the position of the replica.
 */
export function answerCursor(
  lastUpdateId: number | null,
  position: number,
  hasEntries: boolean,
): number {
  const passed = lastUpdateId ?? -1;
  return hasEntries ? Math.max(passed, position) : passed;
}

/** The status of a user in the legacy format; never `offline`. */
export function legacyStatus({ activeAt, idleAt }: SeenTimes): {
  readonly status: 'active' | 'idle';
  readonly timestamp: number;
} {
  const isActive = activeAt + presenceAnswers.legacyActiveOffsetSeconds >= idleAt;
  return isActive
    ? { status: 'active', timestamp: activeAt }
    : { status: 'idle', timestamp: idleAt };
}

/** The JSON of an entry in the legacy format; `emailJson` is its key, quoted. */
export function legacyFragment(times: SeenTimes, emailJson: string): string {
  const { status, timestamp } = legacyStatus(times);
  const state = `"client":"website","status":"${status}","timestamp":${timestamp}`;
  // Joined, and not a template, to save memory: see modernFragment.
  return [emailJson, ':{"aggregated":{', state, '},"website":{', state, ',"pushable":false}}'].join(
    '',
  );
}

/** The finished JSON of an answer. The time always has three decimals: a reader may expect a fraction. */
export const answerText = (cursor: number, nowMs: number, fragments: readonly string[]): string =>
  `{"presence_last_update_id":${cursor},"server_timestamp":${(nowMs / 1000).toFixed(3)},"presences":{${fragments.join(',')}}}`;

/** An answer without entries; it does not move the cursor. */
export const emptyAnswer = (lastUpdateId: number | null, nowMs: number): string =>
  answerText(lastUpdateId ?? -1, nowMs, []);

/** The answer to a ping. */
export const pingAnswer = (lastUpdateId: number | null): string =>
  `{"presence_last_update_id":${lastUpdateId ?? -1}}`;

/** Answers with more entries than this are shared. A smaller one costs less to build than to share. */
export const MAX_UNSHARED_ENTRIES = 100;

/** Shared answers are reused for this long. */
export const SHARED_ANSWER_TTL_MS = 1000;

/** Minimum interval between builds of one pool. Viewers who need a newer answer wait for the next build. */
const MIN_BUILD_INTERVAL_MS = 250;

/** Cursors are microseconds. */
const CHECKPOINT_STEP = 5_000_000;

/** For old cursors, the distance between checkpoints is at most the age divided by this. */
const AGE_PER_STEP = 16;

/** Cursors up to this age share one pool: clients that poll once a minute, plus a third. */
const YOUNG_CURSOR_AGE = 80_000_000;

/** The state of a shared answer. */
export interface BuiltAnswer {
  /** The answer has all changes above this update id. */
  readonly aboveId: number;
  /** The answer is complete up to this update id. */
  readonly position: number;
  /** The revision of the replica; see RealmReplica. */
  readonly revision: number;
  readonly madeAtMs: number;
}

/** The requirements of a viewer for a shared answer. */
interface AnswerNeeds {
  /** Negative: all users. */
  readonly cursor: number;
  /** The answer must not be from an earlier revision of the replica. */
  readonly revision: number;
}

/**
 * The checkpoint at or below a cursor, where a shared answer starts. Entries that the viewer already has are harmless. The
 * checkpoint is less than 5 s below the cursor; for a cursor older than 80 s, less than a sixteenth of its age, so that
 * clients that return in the morning share few checkpoints.
 */
export function checkpointOf(cursor: number, position: number): number {
  const stepsOfAge = (position - cursor) / (CHECKPOINT_STEP * AGE_PER_STEP);
  const step = CHECKPOINT_STEP * 2 ** Math.floor(Math.log2(Math.max(1, stepsOfAge)));
  // The remainder, not a quotient: a quotient of such large numbers may be rounded up.
  return cursor - (cursor % step);
}

type AnswerPart = Pick<PresenceRequest, 'realmId' | 'format' | 'lastUpdateId' | 'historyLimitDays'>;

/**
 * Whether a request has a pool of shared answers. A first fetch with a number of days of its own has none: callers choose
 * the number, and would get as many pools as they name numbers.
 */
export const hasPool = (request: AnswerPart): boolean =>
  cursorOf(request) >= 0 ||
  (request.historyLimitDays ?? presenceAnswers.defaultHistoryDays) ===
    presenceAnswers.defaultHistoryDays;

/**
 * The key of the pool of shared answers for a request that has one. Viewers with cursors of about the same age share a
 * pool, so that one answer, built for the oldest cursor, serves all of them. `position` is the position of the replica.
 */
export function poolKeyOf(request: AnswerPart, position: number): string {
  const { realmId, format } = request;
  const cursor = cursorOf(request);
  if (cursor < 0) return `${realmId} ${format} first`;
  const age = Math.max(1, (position - cursor) / YOUNG_CURSOR_AGE);
  return `${realmId} ${format} age ${Math.ceil(Math.log2(age))}`;
}

/** The window of a shared answer. `request` is any request of the pool; `cursor` is the lowest cursor. */
export function sharedWindow(
  request: AnswerPart,
  cursor: number,
  position: number,
  nowSeconds: number,
): AnswerWindow {
  if (cursor < 0) return answerWindow(request, nowSeconds);
  return { aboveId: checkpointOf(cursor, position), seenSince: null };
}

/** Whether a shared answer of the pool is recent enough and meets the requirements of a viewer. */
export function isReusable(
  answer: BuiltAnswer,
  { cursor, revision }: AnswerNeeds,
  nowMs: number,
): boolean {
  const ageMs = nowMs - answer.madeAtMs;
  if (ageMs < 0 || ageMs >= SHARED_ANSWER_TTL_MS) return false;
  return answer.aboveId <= cursor && answer.position >= cursor && answer.revision >= revision;
}

/** The delay of the next build of a pool; `lastMadeAtMs` is null before the first build. */
export const buildDelayMs = (lastMadeAtMs: number | null, nowMs: number): number =>
  lastMadeAtMs === null
    ? 0
    : // The clock may have stepped.
      Math.min(Math.max(0, lastMadeAtMs + MIN_BUILD_INTERVAL_MS - nowMs), MIN_BUILD_INTERVAL_MS);
