import { presenceAnswers, type PresenceRequest } from '#contracts';
import { type AnswerWindow, answerWindow } from './answer.rules.js';

/** An answer that has to look at more users than this is shared; a smaller one costs less than to share it. */
export const MOST_PRIVATE_USERS = 100;

/** A body that was made this long ago is not given to anybody any more. */
export const SHARED_FOR_MS = 1000;

/** Cursors are microseconds. */
const CHECKPOINT_STEP = 5_000_000;

/** The steps between the checkpoints of older cursors are at most this part of their age. */
const AGE_PER_STEP = 16;

/** What several viewers are answered with together. */
export interface SharedScope {
  /** Equal for viewers who may have the same body. */
  readonly key: string;
  readonly window: AnswerWindow;
}

/** How a body that is there already was made. */
export interface MadeBody {
  /** The update id up to which nothing is missing in it. */
  readonly position: number;
  readonly madeAtMs: number;
}

/**
 * The checkpoint at or below a cursor, from which on a viewer is told again: what they have already does no harm.
 * It is less than 5 s below; for a cursor that is older than a minute and a half a sixteenth of its age, so that
 * those who come back in the morning have few checkpoints between them.
 */
export function checkpointOf(cursor: number, position: number): number {
  const stepsOfAge = (position - cursor) / (CHECKPOINT_STEP * AGE_PER_STEP);
  const step = CHECKPOINT_STEP * 2 ** Math.max(0, Math.floor(Math.log2(Math.max(1, stepsOfAge))));
  // Not by dividing: a quotient of so great numbers may be rounded up.
  return cursor - (cursor % step);
}

/** What a viewer without limits shares, and with whom; `position` is the mirror's. */
export function sharedScope(
  request: Pick<PresenceRequest, 'realmId' | 'format' | 'lastUpdateId' | 'historyLimitDays'>,
  position: number,
  nowSeconds: number,
): SharedScope {
  const { realmId, format, lastUpdateId, historyLimitDays } = request;
  if (lastUpdateId !== null && lastUpdateId > 0) {
    const aboveId = checkpointOf(lastUpdateId, position);
    return { key: `${realmId} ${format} above ${aboveId}`, window: { aboveId, seenSince: null } };
  }
  const days = historyLimitDays ?? presenceAnswers.defaultHistoryDays;
  return { key: `${realmId} ${format} days ${days}`, window: answerWindow(request, nowSeconds) };
}

/** Whether a body of the right scope is young enough, and has all that a viewer has who passed `cursor`. */
export function isReusable(
  { position, madeAtMs }: MadeBody,
  cursor: number,
  nowMs: number,
): boolean {
  const ageMs = nowMs - madeAtMs;
  return ageMs >= 0 && ageMs < SHARED_FOR_MS && position >= cursor;
}
