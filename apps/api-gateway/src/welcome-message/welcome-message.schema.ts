import { endpoint, limitedText, text } from '#edge';
import { z } from 'zod';

/** In characters. */
const LONGEST_TEXT = 8000;

export const postTestMessage = endpoint({
  tag: 'organisation',
  access: 'administrator',
  method: 'POST',
  path: '/realm/test_welcome_bot_custom_message',
  summary: 'Try a welcome message',
  description:
    'Has the Welcome Bot send the caller a text as a direct message, to see how it would look to new people.',
  parameters: {
    welcome_message_custom_text: text(limitedText(LONGEST_TEXT), {
      description: 'Markdown; not blank, at most 8000 characters.',
    }),
  },
  returns: z.object({ message_id: z.int().describe('The id of the message.') }),
  errors: ['emptyMessage'],
});
