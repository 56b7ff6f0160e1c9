import { ApiError, parameterErrors } from '#platform/contracts';
import { endpoint, limitedText, messageId, text } from '#platform/http';
import { messageErrors } from '#chat/messages';
import { reportTypes } from './report-content.rules.js';
import { z } from 'zod';
import { moderationErrors } from './moderation.errors.js';

/** In characters. */
const LONGEST_DESCRIPTION = 1000;

export const postReport = endpoint({
  tag: 'moderation',
  access: 'user',
  method: 'POST',
  path: '/messages/{message_id}/report',
  summary: 'Report a message',
  description:
    'Sends a report of a message to the channel for reports, and a confirmation to the caller as a direct message. The caller must be able to read the message.',
  parameters: {
    message_id: messageId,
    report_type: text(z.enum(reportTypes), {
      description: 'The reason of the report.',
      refusal: () =>
        new ApiError(parameterErrors.invalidParameter, {
          text: 'Invalid report_type: Value error, Not in the list of possible values',
        }),
    }),
    description: text(limitedText(LONGEST_DESCRIPTION).default(''), {
      description: 'An explanation, at most 1000 characters. Required when the type is `other`.',
    }),
  },
  returns: z.object({}),
  errors: [
    moderationErrors.noModerationChannel,
    moderationErrors.explanationRequired,
    messageErrors.invalidMessage,
    moderationErrors.messageReportNotSent,
  ],
});
