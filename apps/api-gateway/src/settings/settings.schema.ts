import { z } from 'zod';
import { ApiError } from '#contracts';
import { endpoint, json, limitedText, text } from '#edge';
import { normalizeTimezone } from '#users';

/** The names of the time zone database have at most 33 characters. */
const LONGEST_TIMEZONE = 100;
/** Above any name, of which only what is without the space around it counts. */
const LONGEST_NAME_SENT = 1000;

const timezone = z
  .string()
  .meta({ maxLength: LONGEST_TIMEZONE })
  .transform((given, context) => {
    const isLong = given.length > LONGEST_TIMEZONE;
    const name = given === '' || isLong ? given : normalizeTimezone(given);
    if (name !== null && !isLong) return name;
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
    full_name: text(limitedText(LONGEST_NAME_SENT).optional(), {
      description: '2 to 100 characters, none of * ` \\ > " @.',
      refusal: () => new ApiError('nameTooLong'),
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
