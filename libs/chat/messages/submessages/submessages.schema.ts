import { longestTexts } from '#platform/contracts';
import { endpoint, limitedText, messageId, text } from '#platform/http';
import { z } from 'zod';
import { messageErrors } from '../messages.errors.js';

const common = { tag: 'messages', access: 'user', method: 'POST' } as const;

/** In characters; a message has up to 1000 of them. */
const MAX_SUBMESSAGE_LENGTH = 2000;

export const postSubmessage = endpoint({
  ...common,
  path: '/submessage',
  summary: 'Add data to a widget',
  description:
    'Adds data to the poll or the to-do list in a message: a vote, an option, a question; a task, a mark, a title. A message whose content begins with `/poll` or `/todo` has such a widget. Question and title are for its author.',
  parameters: {
    message_id: messageId,
    msg_type: text(z.enum(['widget']), { description: 'The kind of data.' }),
    content: text(limitedText(MAX_SUBMESSAGE_LENGTH), {
      description: 'The data as JSON, at most 2000 characters.',
    }),
  },
  returns: z.object({}),
  errors: [
    messageErrors.invalidMessage,
    messageErrors.notAWidget,
    messageErrors.submessageNotJson,
    messageErrors.unknownWidgetData,
    messageErrors.invalidWidgetData,
    messageErrors.notAuthorOfWidget,
    messageErrors.tooManySubmessages,
    messageErrors.submessagesTooLarge,
  ],
});

export const renderMessage = endpoint({
  ...common,
  path: '/messages/render',
  summary: 'Render Markdown',
  description: 'Returns Markdown as a message of the caller would show it.',
  parameters: {
    content: text(limitedText(longestTexts.message), {
      description: 'Markdown, at most 10000 characters.',
    }),
  },
  returns: z.object({ rendered: z.string().describe('HTML.') }),
  errors: [],
});
