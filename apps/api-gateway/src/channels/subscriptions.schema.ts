import { z } from 'zod';
import { endpoint, text } from '#edge';
import { channelFields } from './channel.schema.js';

const notifications = z.boolean().nullable();

export const listSubscriptions = endpoint({
  method: 'GET',
  path: '/users/me/subscriptions',
  tag: 'channels',
  access: 'user',
  summary: 'List own subscriptions',
  description:
    'Answers with the channels that the caller is subscribed to, archived ones included, in the order of their names.',
  parameters: {
    include_subscribers: text(z.enum(['true', 'false', 'partial']).default('false'), {
      description:
        'Whether to tell who else is subscribed: `true`, `false`, or `partial`, which may leave out people who were away for two weeks, in channels of 250 subscribers and more.',
    }),
  },
  returns: z.object({
    subscriptions: z.array(
      z.object({
        ...channelFields,
        subscribers: z
          .array(z.int())
          .optional()
          .describe('The ids of all active subscribers, in ascending order.'),
        partial_subscribers: z
          .array(z.int())
          .optional()
          .describe(
            'In place of `subscribers`: the ids of the bots, of whoever was active in the last two weeks, and maybe of others, in ascending order.',
          ),
        desktop_notifications: notifications.describe('Null as the account has it.'),
        email_notifications: notifications.describe('Null as the account has it.'),
        push_notifications: notifications.describe('Null as the account has it.'),
        audible_notifications: notifications.describe('Null as the account has it.'),
        wildcard_mentions_notify: notifications.describe('Null as the account has it.'),
        pin_to_top: z.boolean(),
        is_muted: z.boolean(),
        in_home_view: z
          .boolean()
          .meta({ deprecated: true })
          .describe('The opposite of `is_muted`.'),
        color: z.string().describe("The caller's own colour for the channel, as `#rrggbb`."),
      }),
    ),
  }),
  errors: [],
});
