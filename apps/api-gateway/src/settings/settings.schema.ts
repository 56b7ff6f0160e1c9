import { z } from 'zod';
import { endpoint, json, text } from '#edge';
import { normalizeTimezone } from '#users';

const timezone = z.string().transform((given, context) => {
  const name = given === '' ? '' : normalizeTimezone(given);
  if (name !== null) return name;
  context.addIssue({ code: 'custom', message: 'Not a recognized time zone' });
  return z.NEVER;
});

export const changeSettings = endpoint({
  method: 'PATCH',
  path: '/settings',
  summary: 'Change the own settings',
  description: 'Changes what is passed; the rest stays as it is.',
  tag: 'users',
  access: 'user',
  parameters: {
    full_name: text(z.string().optional(), {
      description: '2 to 100 characters, none of * ` \\ > " @.',
    }),
    timezone: text(timezone.optional(), {
      description: 'A name of the IANA time zone database; empty when it is not to be known.',
    }),
    presence_enabled: json(z.boolean().optional(), {
      description: 'Whether others see when the caller is here.',
    }),
    enable_offline_push_notifications: json(z.boolean().optional(), {
      description: "Whether direct messages and mentions are notified on the caller's phones.",
    }),
    enable_online_push_notifications: json(z.boolean().optional(), {
      description: 'Whether phones are notified also while the caller is active somewhere.',
    }),
    enable_stream_push_notifications: json(z.boolean().optional(), {
      description:
        'Whether every message of a channel is notified, where the subscription does not say.',
    }),
    wildcard_mentions_notify: json(z.boolean().optional(), {
      description:
        'Whether mentions of everyone are notified as mentions are, where the subscription does not say.',
    }),
  },
  returns: z.object({}),
  errors: [
    'nameTooLong',
    'nameTooShort',
    'invalidNameCharacters',
    'invalidNameFormat',
    'nameInUse',
  ],
});
