/** The maximum lengths of texts in characters; clients learn them from `POST /register`. */
export const longestTexts = {
  /** The Markdown of a message. */
  message: 10_000,
  topic: 60,
  channelName: 60,
  channelDescription: 1024,
} as const;

/** The maximum lengths of lists that clients learn from `POST /register`. */
export const longestLists = {
  /** The accounts that get a message when somebody subscribes them. */
  subscriptionNotices: 100,
} as const;
