import { presenceAnswers, type PresenceRequest } from '#contracts';
import type { PresenceEntry } from '../state/presence-entry.js';

const SECONDS_PER_DAY = 86_400;

/** Below every update id. */
const EVERYONE = -1;

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
  if (days <= 0) return { aboveId: EVERYONE, seenSince: Number.POSITIVE_INFINITY };
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

/** An entry of the legacy format, as JSON; `emailJson` is the key it goes under, already quoted. */
export function legacyFragment({ activeAt, idleAt }: PresenceEntry, emailJson: string): string {
  const isActive = activeAt + presenceAnswers.legacyActiveOffsetSeconds >= idleAt;
  const told = `"client":"website","status":"${isActive ? 'active' : 'idle'}","timestamp":${isActive ? activeAt : idleAt}`;
  return `${emailJson}:{"aggregated":{${told}},"website":{${told},"pushable":false}}`;
}
