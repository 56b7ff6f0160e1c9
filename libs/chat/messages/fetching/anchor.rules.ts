import { ApiError } from '#platform/contracts';
import { fetchErrors } from './fetch.errors.js';

/** The anchor of a range that ends with the newest message: above the id of any message. */
export const NEWEST = 10_000_000_000_000_000;

/** The anchor of a range that begins with the oldest message: below the id of any message. */
export const OLDEST = 0;

/** The most messages of one request. */
export const MAX_MESSAGES = 5000;

/** The place of a range in a narrow. */
export type Anchor =
  /** A message id, OLDEST or NEWEST. */
  | { readonly id: number }
  /** The first unread message. */
  | 'first_unread'
  /** The first message at or after a time. */
  | { readonly date: Date };

/** The parameters of an anchor, as clients send them. */
export interface AnchorInput {
  readonly anchor: string | undefined;
  readonly anchor_date?: string | undefined;
  readonly use_first_unread_anchor?: boolean | undefined;
}

/** The anchor of a request. Throws ApiError without an anchor, and for another text. */
export function anchorOf(given: AnchorInput): Anchor {
  const { anchor, anchor_date: date, use_first_unread_anchor: isFirstUnread = false } = given;
  if (isFirstUnread) return 'first_unread';
  switch (anchor) {
    case undefined:
      throw new ApiError(fetchErrors.missingAnchor);
    case 'newest':
      return { id: NEWEST };
    case 'oldest':
      return { id: OLDEST };
    case 'first_unread':
      return 'first_unread';
    case 'date':
      if (date === undefined) throw new ApiError(fetchErrors.missingAnchorDate);
      return { date: dateOf(date) };
    default:
      if (!/^-?\d{1,400}$/.test(anchor)) throw new ApiError(fetchErrors.invalidAnchor);
      return { id: boundedId(Number(anchor)) };
  }
}

const DATE =
  /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?<offset>Z|[+-]\d\d:?\d\d)?)?$/i;

function dateOf(given: string): Date {
  const found = DATE.exec(given);
  const isLocal = given.length > 'yyyy-mm-dd'.length && found?.groups?.['offset'] === undefined;
  const date = new Date(isLocal ? `${given}Z` : given);
  if (found === null || Number.isNaN(date.getTime())) {
    throw new ApiError(fetchErrors.invalidAnchorDate);
  }
  return date;
}

/** No message has an id that is too great for an exact number. */
const boundedId = (id: number): number => {
  if (id > Number.MAX_SAFE_INTEGER) return NEWEST;
  return Math.max(0, id);
};

/** A range of messages around an anchor. */
export interface RangeSize {
  /** The most messages before the anchor. */
  readonly before: number;
  readonly after: number;
  readonly isAnchorIncluded: boolean;
}

/** Throws `anchorExcludedInside` for a range on both sides of an anchor without the anchor. */
export function checkRange({ before, after, isAnchorIncluded }: RangeSize): void {
  if (!isAnchorIncluded && before > 0 && after > 0) {
    throw new ApiError(fetchErrors.anchorExcludedInside);
  }
}

/** A range whose anchor is a message id, OLDEST or NEWEST. */
export interface Range extends RangeSize {
  readonly anchor: number;
}

/** The information for the client about the range of the answer. */
export interface PageRange {
  readonly foundAnchor: boolean;
  readonly foundOldest: boolean;
  readonly foundNewest: boolean;
}

/** The sides of the anchor on which messages of the range are left out, since all together are too large. */
export interface Cut {
  readonly isBefore: boolean;
  readonly isAfter: boolean;
}

const UNCUT: Cut = { isBefore: false, isAfter: false };

/** From the ids of the messages in the range. */
export function foundRange(
  { anchor, before, after }: Range,
  ids: readonly number[],
  cut = UNCUT,
): PageRange {
  const isOldest = anchor === OLDEST;
  const isNewest = anchor === NEWEST;
  return {
    foundAnchor: ids.includes(anchor),
    foundOldest: isOldest || (!cut.isBefore && ids.filter((id) => id < anchor).length < before),
    foundNewest: isNewest || (!cut.isAfter && ids.filter((id) => id > anchor).length < after),
  };
}

/** The ids of a range, from the nearest ones on both sides of its anchor, in ascending order. */
export function withinRange({ anchor, before, after }: Range, ids: readonly number[]): number[] {
  const earlier = ids.filter((id) => id < anchor);
  const own = ids.filter((id) => id === anchor);
  const later = ids.filter((id) => id > anchor);
  return [...earlier.slice(Math.max(0, earlier.length - before)), ...own, ...later.slice(0, after)];
}
