import { errorCode } from './error-text.js';

/** No room, no room for this account, and a disk that takes no more writes. */
const DISK_FULL_CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

/** Errors wrap each other a few times at the most. */
const MAX_DEPTH = 5;

/** Whether what was thrown means that a disk takes no more. */
export function isDiskFull(thrown: unknown, depth = 0): boolean {
  if (typeof thrown !== 'object' || thrown === null || depth > MAX_DEPTH) return false;
  if (DISK_FULL_CODES.has(errorCode(thrown))) return true;
  return 'cause' in thrown && isDiskFull(thrown.cause, depth + 1);
}
