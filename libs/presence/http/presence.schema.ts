import { z } from 'zod';
import { roleErrors } from '#directory/roles';
import { userErrors } from '#directory/users';
import { ApiError, type BodyEncoding, type Caller } from '#platform/contracts';
import type { PresenceRequest, PresenceViewer } from '#presence/rpc';
import { endpoint, json, limitedText, type ParametersOf, text } from '#platform/http';
import { presenceErrors } from '#presence/reading';

const legacyStatus = z.object({
  client: z.literal('website'),
  status: z.enum(['idle', 'active']),
  timestamp: z.int(),
});

/** One user's presence in the legacy format. */
const legacyEntry = z.object({
  aggregated: legacyStatus,
  website: legacyStatus.extend({ pushable: z.literal(false) }),
});

const modernEntry = z.object({
  active_timestamp: z.int().describe('UNIX seconds: when the user was last active.'),
  idle_timestamp: z.int().describe('UNIX seconds: when the user last had any client connected.'),
});

export const reportPresence = endpoint({
  method: 'POST',
  path: '/users/me/presence',
  summary: 'Report presence and get the presence of others',
  description:
    'Reports the presence of the caller. Unless `ping_only`, returns the changes since `last_update_id`.',
  tag: 'presence',
  access: 'user',
  parameters: {
    status: text(z.enum(['active', 'idle']), {
      description: '`active` while the user is at the device, otherwise `idle`.',
      refusal: (status) => new ApiError(presenceErrors.invalidPresenceStatus, { status }),
    }),
    ping_only: json(z.boolean().default(false), {
      description: 'Report only; return no presence of others.',
    }),
    new_user_input: json(z.boolean().default(false), {
      description:
        'Whether the user interacted with the client since its last report. Accepted and not used.',
    }),
    last_update_id: json(z.int().optional(), {
      description:
        'The `presence_last_update_id` of the last response, or -1 to get all users. Selects the modern format.',
    }),
    history_limit_days: json(z.int().min(0).optional(), {
      description:
        'The number of days that a first fetch reaches back (default 14). Ignored if `last_update_id` is above 0.',
    }),
    slim_presence: json(z.boolean().default(false), {
      description: 'Selects the modern format without a `last_update_id`.',
      isDeprecated: true,
    }),
  },
  returns: z.object({
    presence_last_update_id: z
      .int()
      .describe(
        'Pass it in the next request. If it is equal to the passed one, nothing changed. -1: nothing to pass.',
      ),
    server_timestamp: z.number().optional().describe('UNIX seconds; not with `ping_only`.'),
    presences: z
      .union([z.record(z.string(), modernEntry), z.record(z.string(), legacyEntry)])
      .optional()
      .describe('By user id (modern) or by email (legacy); not with `ping_only`.'),
  }),
  errors: [presenceErrors.invalidPresenceStatus],
});

/** The caller of a request, also as a viewer of presence. */
interface Reporter {
  readonly caller: Pick<Caller, 'joinedAt' | 'isPresenceEnabled' | 'realm'>;
  readonly viewer: PresenceViewer;
}

/** The request to the presence program; `nowMs` is the time of arrival. */
export const presenceRequestOf = (
  { caller, viewer }: Reporter,
  parameters: ParametersOf<typeof reportPresence>,
  encoding: BodyEncoding | null,
  nowMs: number,
): PresenceRequest => ({
  // Copying an object with unknown fields takes longer than all the rest.
  realmId: viewer.realmId,
  userId: viewer.userId,
  isGuest: viewer.isGuest,
  substituteHost: viewer.substituteHost,
  joinedAt: caller.joinedAt,
  status: parameters.status,
  reportedAt: Math.floor(nowMs / 1000),
  sentAt: Math.floor(nowMs / 1000),
  isVisible: caller.isPresenceEnabled,
  isRealmPresenceDisabled: caller.realm.isPresenceDisabled,
  pingOnly: parameters.ping_only,
  lastUpdateId: parameters.last_update_id ?? null,
  historyLimitDays: parameters.history_limit_days ?? null,
  format: parameters.slim_presence || parameters.last_update_id !== undefined ? 'modern' : 'legacy',
  encoding,
});

/** Longer than any address. */
const LONGEST_SENT = 1000;

const common = { tag: 'presence', access: 'user', method: 'GET' } as const;

const timestamp = z.int().describe('UNIX seconds: when the user was last seen.');

export const readRealmPresence = endpoint({
  ...common,
  path: '/realm/presence',
  summary: 'Get the presence of all users',
  description:
    'Returns all users who were seen in the last 14 days and whom the caller may see. A client that polls should report its own presence instead, and gets the changes.',
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
    'Returns the presence of one user, by id or visible address, in the modern and in the legacy format. An invisible user is `offline`.',
  parameters: {
    user_id_or_email: text(limitedText(LONGEST_SENT), {
      refusal: () => new ApiError(userErrors.noSuchUser),
      description: 'The id of the account, or its visible address.',
    }),
  },
  returns: z.object({
    server_timestamp: z.number().describe('UNIX seconds.'),
    presence: z.object({
      ...modernEntry.shape,
      website: z
        .object({ status: z.enum(['active', 'idle']), timestamp })
        .describe('As the user last reported.'),
      aggregated: z
        .object({ status: z.enum(['active', 'idle', 'offline']), timestamp })
        .describe(
          'The same, but `offline` if the report is older than the threshold of the installation, usually 200 seconds.',
        ),
    }),
  }),
  errors: [
    userErrors.noSuchUser,
    presenceErrors.noPresenceOfBots,
    roleErrors.insufficientPermission,
    presenceErrors.noPresenceData,
  ],
});
