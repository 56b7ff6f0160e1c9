import { z } from 'zod';
import { userErrors } from '#directory/users';
import { ApiError } from '#platform/contracts';
import { endpoint, json, limitedText, text } from '#platform/http';
import { normalizeTimezone } from './timezone.rules.js';

/** The names of the time zone database have at most 33 characters. */
const LONGEST_TIMEZONE = 100;
/** Above the limit of a name, because surrounding white space is trimmed later. */
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
  description: 'Changes the given settings. Missing parameters leave their settings unchanged.',
  tag: 'users',
  access: 'user',
  parameters: {
    full_name: text(limitedText(LONGEST_NAME_SENT).optional(), {
      description: '2 to 100 characters, without * ` \\ > " @.',
      refusal: () => new ApiError(userErrors.nameTooLong),
    }),
    timezone: text(timezone.optional(), {
      description: 'A name of the IANA time zone database; empty for an unknown time zone.',
    }),
    presence_enabled: json(z.boolean().optional(), {
      description: 'Whether other users see the presence of the caller.',
    }),
    enable_offline_push_notifications: json(z.boolean().optional(), {
      description: "Whether direct messages and mentions are pushed to the caller's phones.",
    }),
    enable_online_push_notifications: json(z.boolean().optional(), {
      description: 'Whether messages are pushed even while the caller is active on a client.',
    }),
    enable_stream_push_notifications: json(z.boolean().optional(), {
      description:
        'Whether all messages of channels are pushed. A setting of the subscription takes precedence.',
    }),
    wildcard_mentions_notify: json(z.boolean().optional(), {
      description:
        'Whether mentions of everyone are pushed like mentions. A setting of the subscription takes precedence.',
    }),
  },
  returns: z.object({}),
  errors: [
    userErrors.nameTooLong,
    userErrors.nameTooShort,
    userErrors.invalidNameCharacters,
    userErrors.invalidNameFormat,
    userErrors.nameInUse,
  ],
});
