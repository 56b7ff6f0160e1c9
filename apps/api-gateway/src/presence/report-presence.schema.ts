import { z } from 'zod';
import { ApiError } from '#contracts';
import { endpoint, json, text } from '#edge';
import { legacyEntry } from './legacy-entry.schema.js';

const modernEntry = z.object({
  active_timestamp: z.int().describe('UNIX seconds: when the user was last really there.'),
  idle_timestamp: z.int().describe('UNIX seconds: when the user last had any client connected.'),
});

export const reportPresence = endpoint({
  method: 'POST',
  path: '/users/me/presence',
  summary: 'Report presence, and get that of others',
  description:
    'Reports whether the caller is there and, unless `ping_only`, answers with what changed since `last_update_id`.',
  tag: 'presence',
  access: 'user',
  parameters: {
    status: text(z.enum(['active', 'idle']), {
      description: '`active` while the user is at the device, else `idle`.',
      refusal: (status) => new ApiError('invalidPresenceStatus', { status }),
    }),
    ping_only: json(z.boolean().default(false), {
      description: 'Report only; answer with no presence of others.',
    }),
    new_user_input: json(z.boolean().default(false), {
      description: 'Whether the user did something since the last report; for usage statistics.',
    }),
    last_update_id: json(z.int().optional(), {
      description:
        'The `presence_last_update_id` of the last answer, or -1 to get everything. With it the answer is in the modern format.',
    }),
    history_limit_days: json(z.int().min(0).optional(), {
      description:
        'How many days back a first fetch reaches (14 if left out). Ignored while `last_update_id` is above 0.',
    }),
    slim_presence: json(z.boolean().default(false), {
      description: 'Ask for the modern format without a `last_update_id`.',
      isDeprecated: true,
    }),
  },
  returns: z.object({
    presence_last_update_id: z
      .int()
      .describe(
        'Pass it next time. Equal to the one passed: nothing changed. -1: nothing to pass.',
      ),
    server_timestamp: z.number().optional().describe('UNIX seconds; not with `ping_only`.'),
    presences: z
      .union([z.record(z.string(), modernEntry), z.record(z.string(), legacyEntry)])
      .optional()
      .describe('By user id (modern) or by email (legacy); not with `ping_only`.'),
  }),
  errors: ['invalidPresenceStatus'],
});
