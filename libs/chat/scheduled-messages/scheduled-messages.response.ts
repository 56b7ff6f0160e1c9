import { z } from 'zod';
import type { ScheduledMessage } from './scheduled-message.repository.js';

export const scheduledMessageResponse = z.object({
  scheduled_message_id: z.int().describe('Not the id that the message has after it is sent.'),
  type: z.enum(['stream', 'private']),
  to: z
    .union([z.int(), z.array(z.int())])
    .describe('The id of the channel, or the ids of the recipients.'),
  topic: z.string().optional().describe('Only of a message to a channel.'),
  content: z.string().describe('Markdown.'),
  rendered_content: z.string().describe('HTML.'),
  scheduled_delivery_timestamp: z.int().describe('UNIX seconds.'),
  failed: z.boolean().describe('Whether the server could not send the message.'),
});

export const toScheduledMessageResponse = (
  message: ScheduledMessage,
): z.infer<typeof scheduledMessageResponse> => ({
  scheduled_message_id: message.id,
  ...(message.channelId === null
    ? { type: 'private', to: [...message.toIds] }
    : { type: 'stream', to: message.channelId, topic: message.topic }),
  content: message.content,
  rendered_content: message.rendered,
  scheduled_delivery_timestamp: Math.floor(message.deliverAt.getTime() / 1000),
  failed: message.hasFailed,
});
