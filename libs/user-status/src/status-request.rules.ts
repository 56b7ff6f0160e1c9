import { ApiError } from '#contracts';
import type { EmojiChoice } from '#emoji';

/** A change of a status as a client asks for it; empty texts take a part away. */
export interface StatusRequest {
  readonly text?: string | undefined;
  readonly emojiName?: string | undefined;
  readonly emojiCode?: string | undefined;
  readonly emojiType?: string | undefined;
}

/** Throws ApiError `noNewStatus` when the request sets neither a part of the status nor anything else. */
export function refuseEmptyRequest(request: StatusRequest, isElseSet: boolean): void {
  const isEmpty = Object.values(request).every((part) => part === undefined);
  if (isEmpty && !isElseSet) throw new ApiError('noNewStatus');
}

/**
 * The emoji that a request asks for: null when it takes the emoji away, which the empty name does
 * whatever else came; undefined when it leaves it. Throws ApiError `statusEmojiWithoutName`.
 */
export function requestedEmoji(request: StatusRequest): EmojiChoice | null | undefined {
  const { emojiName: name, emojiCode: code, emojiType: type } = request;
  if (name === '') return null;
  if (name !== undefined) return { name, code, type };
  if (code !== undefined || type !== undefined) throw new ApiError('statusEmojiWithoutName');
  return undefined;
}
