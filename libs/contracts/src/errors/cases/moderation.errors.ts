import { badRequest, type CataloguedError } from '../catalogued-error.js';

/** Reports to moderators. */
export const moderationErrors = {
  noModerationChannel: badRequest(
    'Moderation request channel must be specified to enable message reporting.',
  ),
  explanationRequired: badRequest('An explanation is required.'),
  messageReportNotSent: badRequest('Failed to send the message report.'),
} as const satisfies Record<string, CataloguedError>;
