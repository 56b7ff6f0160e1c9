import { presenceAnswers, type PresenceRequest } from '#contracts';
import { type AnswerWindow, answerWindow } from './answer.rules.js';

/** An answer that has to look at more users than this is shared; a smaller one costs less than to share it. */
export const MOST_PRIVATE_USERS = 100;

/** A body that was made this long ago is not given to anybody any more. */
export const SHARED_FOR_MS = 1000;

/** Bodies of one pool are made no faster than this: viewers for whom the last one is too old wait for the next. */
export const BETWEEN_BODIES_MS = 250;

/** Cursors are microseconds. */
const CHECKPOINT_STEP = 5_000_000;

/** The steps between the checkpoints of older cursors are at most this part of their age. */
const AGE_PER_STEP = 16;

/** Cursors of up to this age share one pool: those of clients that ask once a minute, give or take a third. */
const YOUNG_CURSOR_AGE = 80_000_000;

/** How a body that is there already was made. */
export interface MadeBody {
  /** It tells everything above this update id. */
  readonly aboveId: number;
  /** The update id up to which nothing is missing in it. */
  readonly position: number;
  /** That of the mirror; see Mirror. */
  readonly revision: number;
  readonly madeAtMs: number;
}

/** What a viewer needs of a body. */
export interface BodyNeeds {
  /** Negative for everybody. */
  readonly cursor: number;
  /** No earlier state of the mirror will do. */
  readonly revision: number;
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

type AskedPart = Pick<PresenceRequest, 'realmId' | 'format' | 'lastUpdateId' | 'historyLimitDays'>;

/** The cursor of a request; negative where everybody is asked for. */
export const cursorOf = ({ lastUpdateId }: Pick<PresenceRequest, 'lastUpdateId'>): number =>
  lastUpdateId !== null && lastUpdateId > 0 ? lastUpdateId : -1;

/**
 * The pool of bodies that a viewer without limits takes one from. Viewers with cursors of about the same age share one,
 * so that a body for the oldest of those who wait does for all of them. `position` is the mirror's.
 */
export function poolOf(request: AskedPart, position: number): string {
  const { realmId, format, historyLimitDays } = request;
  const cursor = cursorOf(request);
  if (cursor < 0) {
    return `${realmId} ${format} days ${historyLimitDays ?? presenceAnswers.defaultHistoryDays}`;
  }
  const age = Math.max(1, (position - cursor) / YOUNG_CURSOR_AGE);
  return `${realmId} ${format} age ${Math.ceil(Math.log2(age))}`;
}

/** The window of a body that is made for viewers of one pool: `request` is one of theirs, `cursor` the lowest of all. */
export function sharedWindow(
  request: AskedPart,
  cursor: number,
  position: number,
  nowSeconds: number,
): AnswerWindow {
  if (cursor < 0) return answerWindow(request, nowSeconds);
  return { aboveId: checkpointOf(cursor, position), seenSince: null };
}

/** Whether a body of the right pool is young enough, and has all that a viewer needs. */
export function isReusable(
  body: MadeBody,
  { cursor, revision }: BodyNeeds,
  nowMs: number,
): boolean {
  const ageMs = nowMs - body.madeAtMs;
  if (ageMs < 0 || ageMs >= SHARED_FOR_MS) return false;
  return body.aboveId <= cursor && body.position >= cursor && body.revision >= revision;
}

/** How long to wait before the next body of a pool is made; `lastMadeAtMs` is null while none was. */
export const untilNextBodyMs = (lastMadeAtMs: number | null, nowMs: number): number =>
  lastMadeAtMs === null
    ? 0
    : // The clock may have stepped.
      Math.min(Math.max(0, lastMadeAtMs + BETWEEN_BODIES_MS - nowMs), BETWEEN_BODIES_MS);
