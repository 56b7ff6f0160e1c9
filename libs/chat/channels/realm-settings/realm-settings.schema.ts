import { z } from 'zod';
import { roleErrors } from '#platform/contracts';
import { endpoint, json } from '#platform/http';
import { channelErrors } from '../channels.errors.js';
import { MAX_RETENTION_DAYS } from '../subscribing/subscriptions.schema.js';

const channel = z.int().min(-1).optional();

export const changeRealm = endpoint({
  tag: 'channels',
  method: 'PATCH',
  path: '/realm',
  access: 'administrator',
  summary: 'Change the organisation',
  description:
    'Chooses the channels that receive reports and announcements (-1: none), the phones that are notified, and the retention of messages. A missing parameter changes nothing.',
  parameters: {
    moderation_request_channel_id: json(channel, {
      description: 'The private channel that receives reports of messages.',
    }),
    new_stream_announcements_stream_id: json(channel, {
      description: 'The channel in which new public channels are announced.',
    }),
    require_e2ee_push_notifications: json(z.boolean().optional(), {
      description: 'Whether notifications are sent only to phones that get them encrypted.',
    }),
    message_retention_days: json(
      z.union([z.literal('unlimited'), z.int().min(1).max(MAX_RETENTION_DAYS)]).optional(),
      {
        description:
          'The days after which direct messages, and messages of channels without an own retention, are deleted; for owners.',
      },
    ),
  },
  returns: z.object({}),
  errors: [
    channelErrors.invalidChannelId,
    channelErrors.moderationChannelNotPrivate,
    roleErrors.mustBeOwner,
  ],
});
