import { badRequest, defineErrors } from '#platform/contracts';

/** Reports to moderators. */
export const moderationErrors = defineErrors({
  noModerationChannel: badRequest(
    'Moderation request channel must be specified to enable message reporting.',
    'The organisation has no channel for reports or has archived it.',
  ),
  explanationRequired: badRequest(
    'An explanation is required.',
    'A report of type `other` has no description.',
  ),
  messageReportNotSent: badRequest(
    'Failed to send the message report.',
    'The report could not be sent to the channel for reports. Nothing was sent.',
  ),
});
