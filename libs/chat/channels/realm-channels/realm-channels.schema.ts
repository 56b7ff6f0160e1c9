import { z } from 'zod';
import { endpoint, json } from '#platform/http';
import { channelErrors } from '../channels.errors.js';

const channel = z.int().min(-1).optional();

export const changeRealm = endpoint({
  tag: 'channels',
  method: 'PATCH',
  path: '/realm',
  access: 'administrator',
  summary: 'Change the organisation',
  description:
    'Chooses the channels that have a task in the organisation, where -1 ends the task, and which phones are notified. A missing parameter changes nothing.',
  parameters: {
    moderation_request_channel_id: json(channel, {
      description: 'The private channel that receives reports of messages.',
    }),
    new_stream_announcements_stream_id: json(channel, {
      description: 'The channel in which new public channels are announced.',
    }),
    require_e2ee_push_notifications: json(z.boolean().optional(), {
      description: 'Whether only phones that get notifications encrypted get any.',
    }),
  },
  returns: z.object({}),
  errors: [channelErrors.invalidChannelId, channelErrors.moderationChannelNotPrivate],
});
