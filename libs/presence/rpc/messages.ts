import { z } from 'zod';
import {
  bodyEncodings,
  type OnlineQuery,
  type OnlineReading,
  type PresenceRequest,
  type PresenceViewer,
  type UserPresenceQuery,
  type UserReading,
  type VisibilityChange,
} from '#platform/contracts';

/** The range of PostgreSQL's integer keys. */
const id = z.int().min(1).max(2_147_483_647);

/** The longest name in DNS. */
const LONGEST_HOST = 253;

/** UNIX seconds, in the range of the packed layout. */
const seconds = z.number().min(0).max(4_294_967_295);

/** The `traceparent` that a gateway adds to a request while it traces. Both sides of an older release ignore it. */
export const tracedRequest = z.object({ traceParent: z.string().max(64).optional() });

/** Who reads presence; alone, the query for the presence of the whole realm. */
export const presenceViewer = z.object({
  realmId: id,
  userId: id,
  isGuest: z.boolean(),
  // Gateways of an older release do not send it.
  substituteHost: z.string().max(LONGEST_HOST).optional(),
}) satisfies z.ZodType<PresenceViewer>;

/** A request that the presence program accepts; the bounds are those of the packed layout. */
export const presenceRequest = presenceViewer.extend({
  joinedAt: seconds,
  status: z.enum(['active', 'idle']),
  reportedAt: seconds,
  // Gateways of an older release do not send it.
  sentAt: seconds.optional(),
  isVisible: z.boolean(),
  isRealmPresenceDisabled: z.boolean(),
  pingOnly: z.boolean(),
  lastUpdateId: z.number().nullable(),
  historyLimitDays: z.number().nullable(),
  format: z.enum(['modern', 'legacy']),
  // Gateways of an older release do not send it.
  encoding: z.enum(bodyEncodings).nullable().default(null),
}) satisfies z.ZodType<PresenceRequest>;

/** A change of visibility that the presence program accepts. */
export const visibilityChange = z.object({
  realmId: id,
  userId: id,
  joinedAt: seconds,
  isVisible: z.boolean(),
  changedAt: seconds,
  // Gateways of an older release do not send it.
  sentAt: seconds.optional(),
  // Processes of an older release ignore it and publish the change several times, which is harmless.
  isCopy: z.boolean().optional(),
}) satisfies z.ZodType<VisibilityChange>;

/** A query for one user that the presence program accepts. */
export const userPresenceQuery = presenceViewer.extend({
  askedUserId: id,
}) satisfies z.ZodType<UserPresenceQuery>;

/** An answer that the gateway accepts. */
export const userReading = z.union([
  z.object({ activeAt: seconds, idleAt: seconds }),
  z.enum(['unknown', 'notAllowed']),
]) satisfies z.ZodType<UserReading>;

/** The viewers of one query. */
export const MAX_ONLINE_VIEWERS = 1000;

/** A query for users who came online that the presence program accepts. */
export const onlineQuery = presenceViewer.extend({
  furtherViewers: z.array(id).max(MAX_ONLINE_VIEWERS),
  aboveId: z.number(),
}) satisfies z.ZodType<OnlineQuery>;

/** An answer that the gateway accepts. */
export const onlineReading = z.object({
  users: z.array(
    z.object({
      userId: id,
      email: z.string(),
      activeAt: seconds,
      idleAt: seconds,
      onlineId: z.number(),
    }),
  ),
  position: z.number(),
}) satisfies z.ZodType<OnlineReading>;

/** The error of a presence process whose replica of a realm is not loaded, as while Redis is unreachable. */
export const REALM_NOT_LOADED = 'The realm is not loaded yet';
