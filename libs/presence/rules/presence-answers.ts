/** Constants of the responses; no server changes them. */
export const presenceAnswers = {
  /** A legacy entry is active while its last activity is at most this much older than its last connection. */
  legacyActiveOffsetSeconds: 70,
  /** The default history of a first fetch. */
  defaultHistoryDays: 14,
} as const;
