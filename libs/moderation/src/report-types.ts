/** Why a message may be reported: how moderators are told, and how the reporter is. */
export const reportReasons = {
  spam: { title: 'Spam', phrase: 'spam' },
  harassment: { title: 'Harassment', phrase: 'harassment' },
  inappropriate: { title: 'Inappropriate content', phrase: 'inappropriate content' },
  norms: { title: 'Violation of community norms', phrase: 'a violation of community norms' },
  other: { title: 'Other reason', phrase: 'another reason' },
} as const;

export type ReportType = keyof typeof reportReasons;

export const reportTypes = [
  'spam',
  'harassment',
  'inappropriate',
  'norms',
  'other',
] as const satisfies readonly ReportType[];
