import { bodyEncodings } from '#platform/contracts';
import { z } from 'zod';

/** The range of PostgreSQL's integer keys. */
const id = z.int().min(1).max(2_147_483_647);

/** The longest name in DNS. */
const LONGEST_HOST = 253;

/** UNIX seconds, in the range of the packed layout. */
const seconds = z.number().min(0).max(4_294_967_295);

/** The `traceparent` that a gateway adds to a request while it traces. Both sides of an older release ignore it. */
export const tracedRequest = z.object({ traceParent: z.string().max(64).optional() });

/** The user who reads the presence of others; alone, the query for the presence of the whole realm. */
export const presenceViewer = z.object({
  realmId: id,
  userId: id,
  isGuest: z.boolean(),
  /**
   * For a guest: the host of the substitute addresses of users whom the guest cannot see. Gateways of an older release
   * omit it; then lists with addresses omit these users.
   */
  substituteHost: z.string().max(LONGEST_HOST).optional(),
});
export type PresenceViewer = Readonly<z.infer<typeof presenceViewer>>;

/**
 * A presence report of one user, and the request for the presence of others. The bounds are those of the packed layout.
 */
export const presenceRequest = presenceViewer.extend({
  /** The default for a user who was never active. */
  joinedAt: seconds,
  status: z.enum(['active', 'idle']),
  /** The time at which the gateway received the report. */
  reportedAt: seconds,
  /**
   * The time at which the gateway sends the request, by the same clock; with it, presence recognises a clock that is
   * behind. Gateways of an older release omit it.
   */
  sentAt: seconds.optional(),
  /** False while the user does not share presence: nothing is written. */
  isVisible: z.boolean(),
  /** The organisation has disabled presence: nothing is shown. */
  isRealmPresenceDisabled: z.boolean(),
  pingOnly: z.boolean(),
  lastUpdateId: z.number().nullable(),
  historyLimitDays: z.number().nullable(),
  format: z.enum(['modern', 'legacy']),
  /** The accepted compression of the response; null for text only. Gateways of an older release omit it. */
  encoding: z.enum(bodyEncodings).nullable().default(null),
});
export type PresenceRequest = Readonly<z.infer<typeof presenceRequest>>;

/** A user starts or stops sharing presence; others see it at once. */
export const visibilityChange = z.object({
  realmId: id,
  userId: id,
  joinedAt: seconds,
  isVisible: z.boolean(),
  changedAt: seconds,
  /** As in a PresenceRequest. */
  sentAt: seconds.optional(),
  /**
   * Another process publishes this change; apply it locally until then. Processes of an older release ignore it and
   * publish the change several times, which is harmless.
   */
  isCopy: z.boolean().optional(),
});
export type VisibilityChange = Readonly<z.infer<typeof visibilityChange>>;

/** A request for the presence of one user of the viewer's organisation. */
export const userPresenceQuery = presenceViewer.extend({ askedUserId: id });
export type UserPresenceQuery = Readonly<z.infer<typeof userPresenceQuery>>;

/** The last presence of a user. */
const seenTimes = z.object({
  /** 0: never reported active. */
  activeAt: seconds,
  idleAt: seconds,
});
export type SeenTimes = Readonly<z.infer<typeof seenTimes>>;

/** The last presence of a user; `unknown` without data; `notAllowed` if the viewer cannot see the user. */
export const userReading = z.union([seenTimes, z.enum(['unknown', 'notAllowed'])]);
export type UserReading = Readonly<z.infer<typeof userReading>>;

/** The viewers of one query. */
export const MAX_ONLINE_VIEWERS = 1000;

/**
 * A request for the users who came online after an update id, for accounts that may see the same users: the viewer, and
 * further viewers if the viewer is not a guest.
 */
export const onlineQuery = presenceViewer.extend({
  furtherViewers: z.array(id).max(MAX_ONLINE_VIEWERS),
  /** An update id. */
  aboveId: z.number(),
});
export type OnlineQuery = Readonly<z.infer<typeof onlineQuery>>;

/** A user who came online, with the newest times. */
const onlineUser = seenTimes.extend({
  userId: id,
  email: z.string(),
  /** The update id with which the user came online. */
  onlineId: z.number(),
});
export type OnlineUser = Readonly<z.infer<typeof onlineUser>>;

/** The users who came online and still are, in the order of their update ids. */
export const onlineReading = z.object({
  users: z.array(onlineUser),
  /** The reading contains everything up to this update id. */
  position: z.number(),
});
export type OnlineReading = Readonly<z.infer<typeof onlineReading>>;

/** The error of a presence process whose replica of a realm is not loaded, as while Redis is unreachable. */
export const REALM_NOT_LOADED = 'The realm is not loaded yet';
