import type { EmojiChoice } from '#chat/emoji';
import { MAX_SNOOZE_SECONDS } from '#directory/settings';
import { ApiError } from '#platform/contracts';
import { userStatusErrors } from './user-status.errors.js';

/** A requested change of a status, not yet resolved; an empty text removes a part. */
export interface StatusRequest {
  readonly text?: string | undefined;
  readonly emojiName?: string | undefined;
  readonly emojiCode?: string | undefined;
  readonly emojiType?: string | undefined;
}

/** The end of a status, and whether phones stay quiet until then. */
export interface StatusEnd {
  /** UNIX seconds; 0 for none; undefined: a new status has none, and the present one keeps its own. */
  readonly expiresAt?: number | undefined;
  readonly pausesPush?: boolean | undefined;
}

/** Throws `statusEndInPast` and `pauseWithoutEnd`. `now` is in UNIX seconds. */
export function refuseInvalidEnd(
  { expiresAt = 0, pausesPush = false }: StatusEnd,
  now: number,
): void {
  if (expiresAt > 0 && expiresAt <= now) throw new ApiError(userStatusErrors.statusEndInPast);
  const isPausable = expiresAt > 0 && expiresAt <= now + MAX_SNOOZE_SECONDS;
  if (pausesPush && !isPausable) throw new ApiError(userStatusErrors.pauseWithoutEnd);
}

/** Throws `noNewStatus` when the request sets no part of the status and no other value (`hasOther`). */
export function refuseEmptyRequest(
  request: StatusRequest,
  { hasOther }: { readonly hasOther: boolean },
): void {
  const isEmpty = Object.values(request).every((part) => part === undefined);
  if (isEmpty && !hasOther) throw new ApiError(userStatusErrors.noNewStatus);
}

/**
 * The requested emoji; null to remove the emoji (an empty name, regardless of code and type), undefined to keep it.
 * Throws `statusEmojiWithoutName`.
 */
export function requestedEmoji(request: StatusRequest): EmojiChoice | null | undefined {
  const { emojiName: name, emojiCode: code, emojiType: type } = request;
  if (name === '') return null;
  if (name !== undefined) return { name, code, type };
  if (code !== undefined || type !== undefined)
    throw new ApiError(userStatusErrors.statusEmojiWithoutName);
  return undefined;
}
