import { presenceAnswers, type PresenceRequest, type SeenTimes } from '#contracts';

const SECONDS_PER_DAY = 86_400;

/** Below every update id, and above. */
const EVERYONE = -1;
const NOBODY = Number.POSITIVE_INFINITY;

/** What part of the state an answer shows: changes above `aboveId` of users seen since `seenSince`. */
export interface AnswerWindow {
  readonly aboveId: number;
  /** UNIX seconds, or null for no limit. */
  readonly seenSince: number | null;
}

/**
 * A cursor above 0 asks for what changed since; anything else for everyone who was seen in the last
 * days. No days at all, or fewer, show nobody.
 */
export function answerWindow(
  request: Pick<PresenceRequest, 'lastUpdateId' | 'historyLimitDays'>,
  nowSeconds: number,
): AnswerWindow {
  if (request.lastUpdateId !== null && request.lastUpdateId > 0) {
    return { aboveId: request.lastUpdateId, seenSince: null };
  }
  const days = request.historyLimitDays ?? presenceAnswers.defaultHistoryDays;
  if (days <= 0) return { aboveId: NOBODY, seenSince: null };
  return { aboveId: EVERYONE, seenSince: nowSeconds - days * SECONDS_PER_DAY };
}

/**
 * The cursor to answer with: never below the one that was passed, and moved only together with entries,
 * so that an equal one means that nothing is new. `position` is the mirror's.
 */
export function answerCursor(
  lastUpdateId: number | null,
  position: number,
  hasEntries: boolean,
): number {
  const passed = lastUpdateId ?? -1;
  return hasEntries ? Math.max(passed, position) : passed;
}

/** What the legacy format makes of a user's times; it never says `offline`. */
export function legacyStatus({ activeAt, idleAt }: SeenTimes): {
  readonly status: 'active' | 'idle';
  readonly timestamp: number;
} {
  const isActive = activeAt + presenceAnswers.legacyActiveOffsetSeconds >= idleAt;
  return isActive
    ? { status: 'active', timestamp: activeAt }
    : { status: 'idle', timestamp: idleAt };
}

/** An entry of the legacy format, as JSON; `emailJson` is the key it goes under, already quoted. */
export function legacyFragment(times: SeenTimes, emailJson: string): string {
  const { status, timestamp } = legacyStatus(times);
  const told = `"client":"website","status":"${status}","timestamp":${timestamp}`;
  // Joined, as the fragments of the mirror are: these are kept, too.
  return [emailJson, ':{"aggregated":{', told, '},"website":{', told, ',"pushable":false}}'].join(
    '',
  );
}
