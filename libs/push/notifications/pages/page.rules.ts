/** The most deliveries of a page: as many as a job has space for. */
export const DEVICES_PER_PAGE = 100;

/** Fewer deliveries get rows of their own, which cost less then. */
export const LEAST_PAGE = 20;

/** The digits of the place at the end of an id. */
const PLACE_DIGITS = 4;

/**
 * The id of the notification of an account in a page: that of the page, with the place of the first device of the account at its
 * end. Places begin with 1.
 */
export const notificationIdAt = (pageId: string, firstPlace: number): string =>
  pageId.slice(0, -PLACE_DIGITS) + firstPlace.toString(16).padStart(PLACE_DIGITS, '0');

/** The letter of a delivery in the states of its page. */
export const placeStates = {
  pending: 'p',
  delivered: 'd',
  withdrawn: 'w',
  expired: 'e',
  revoked: 'r',
  /** It has rows of its own. */
  own: 'o',
} as const;

/** See placeStates. */
export type PlaceState = (typeof placeStates)[keyof typeof placeStates];
