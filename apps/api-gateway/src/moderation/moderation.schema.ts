import { ApiError } from '#contracts';
import { endpoint, limitedText, messageIdentifier, text } from '#edge';
import { reportTypes } from '#moderation';
import { z } from 'zod';

/** In characters. */
const LONGEST_DESCRIPTION = 1000;

export const postReport = endpoint({
  tag: 'moderation',
  access: 'user',
  method: 'POST',
  path: '/messages/{message_id}/report',
  summary: 'Report a message',
  description:
    'Tells the moderators about a message that the caller can read, in the channel that the organisation has named for it, and confirms it to the caller by a direct message.',
  parameters: {
    message_id: messageIdentifier('The id of the message.'),
    report_type: text(z.enum(reportTypes), {
      description: 'Why the message is reported.',
      refusal: () =>
        new ApiError('invalidParameter', {
          text: 'Invalid report_type: Value error, Not in the list of possible values',
        }),
    }),
    description: text(limitedText(LONGEST_DESCRIPTION).default(''), {
      description:
        'What is wrong with it, at most 1000 characters. Needed when the type is `other`.',
    }),
  },
  returns: z.object({}),
  errors: ['noModerationChannel', 'explanationRequired', 'invalidMessage', 'messageReportNotSent'],
});
