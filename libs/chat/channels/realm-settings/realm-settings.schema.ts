import { z } from 'zod';
import { roleErrors } from '#platform/contracts';
import { endpoint, json } from '#platform/http';
import { channelErrors } from '../channels.errors.js';
import { apiSettings } from './realm-settings.rules.js';

export const changeRealm = endpoint({
  tag: 'channels',
  method: 'PATCH',
  path: '/realm',
  access: 'administrator',
  summary: 'Change the organisation',
  description:
    'Chooses the channels that receive reports and announcements (-1: none), the phones that are notified, and the retention of messages. A missing parameter changes nothing.',
  parameters: {
    moderation_request_channel_id: json(
      apiSettings.moderation_request_channel_id.schema.optional(),
      {
        description: 'The private channel that receives reports of messages.',
      },
    ),
    new_stream_announcements_stream_id: json(
      apiSettings.new_stream_announcements_stream_id.schema.optional(),
      {
        description: 'The channel in which new public channels are announced.',
      },
    ),
    require_e2ee_push_notifications: json(
      apiSettings.require_e2ee_push_notifications.schema.optional(),
      {
        description: 'Whether notifications are sent only to phones that get them encrypted.',
      },
    ),
    message_retention_days: json(apiSettings.message_retention_days.schema.optional(), {
      description:
        'The days after which direct messages, and messages of channels without an own retention, are deleted; for owners.',
    }),
  },
  returns: z.object({}),
  errors: [
    channelErrors.invalidChannelId,
    channelErrors.moderationChannelNotPrivate,
    roleErrors.mustBeOwner,
  ],
});
