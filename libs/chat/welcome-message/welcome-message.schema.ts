import { administrators } from '#directory/roles';
import { endpoint, limitedText, text } from '#platform/http';
import { z } from 'zod';
import { messageErrors } from '#chat/messages';

/** In characters. */
const LONGEST_TEXT = 8000;

export const postTestMessage = endpoint({
  tag: 'organisation',
  access: administrators,
  method: 'POST',
  path: '/realm/test_welcome_bot_custom_message',
  summary: 'Preview a welcome message',
  description:
    'Sends the caller a text as a direct message from the Welcome Bot, to preview the message for new accounts.',
  parameters: {
    welcome_message_custom_text: text(limitedText(LONGEST_TEXT), {
      description: 'Markdown; not blank, at most 8000 characters.',
    }),
  },
  returns: z.object({ message_id: z.int().describe('The id of the message.') }),
  errors: [messageErrors.emptyMessage],
});
