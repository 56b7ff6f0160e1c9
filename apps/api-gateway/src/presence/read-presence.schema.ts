import { z } from 'zod';
import { ApiError } from '#contracts';
import { endpoint, limitedText, text } from '#edge';
import { legacyEntry } from './legacy-entry.schema.js';

/** Above any address. */
const LONGEST_SENT = 1000;

const common = { tag: 'presence', access: 'user', method: 'GET' } as const;

const timestamp = z.int().describe('UNIX seconds: when the user was last there.');

export const readRealmPresence = endpoint({
  ...common,
  path: '/realm/presence',
  summary: 'Get the presence of all users',
  description:
    'Answers with everyone who was seen in the last 14 days and whom the caller may see. A client that asks again and again reports its own presence instead, and is told what has changed.',
  parameters: {},
  returns: z.object({
    server_timestamp: z.number().describe('UNIX seconds.'),
    presences: z.record(z.string(), legacyEntry).describe('By email.'),
  }),
  errors: [],
});

export const readUserPresence = endpoint({
  ...common,
  path: '/users/{user_id_or_email}/presence',
  summary: 'Get a user’s presence',
  description:
    'Answers with the presence of one user, found by the id or the visible address. Who shares no presence is `offline`.',
  parameters: {
    user_id_or_email: text(limitedText(LONGEST_SENT), {
      refusal: () => new ApiError('noSuchUser'),
      description: 'The id of the account, or the address that others see.',
    }),
  },
  returns: z.object({
    presence: z.object({
      website: z
        .object({ status: z.enum(['active', 'idle']), timestamp })
        .describe('As the user last reported.'),
      aggregated: z
        .object({ status: z.enum(['active', 'idle', 'offline']), timestamp })
        .describe(
          'The same, but `offline` once that is older than the installation’s threshold, usually 200 seconds.',
        ),
    }),
  }),
  errors: ['noSuchUser', 'noPresenceOfBots', 'insufficientPermission', 'noPresenceData'],
});
