import { z } from 'zod';
import {
  bodyEncodings,
  type PresenceRequest,
  type PresenceViewer,
  type UserPresenceQuestion,
  type UserReading,
  type VisibilityChange,
} from '#contracts';

/** What PostgreSQL's integer keys hold. */
const id = z.int().min(1).max(2_147_483_647);

/** UNIX seconds, as far as the stored form reaches. */
const seconds = z.number().min(0).max(4_294_967_295);

/** What the presence program accepts from the gateway; the bounds are those of the stored form. */
export const presenceRequest = z.object({
  realmId: id,
  userId: id,
  joinedAt: seconds,
  status: z.enum(['active', 'idle']),
  reportedAt: seconds,
  isVisible: z.boolean(),
  isGuest: z.boolean(),
  isRealmPresenceDisabled: z.boolean(),
  pingOnly: z.boolean(),
  // Gateways of an older release say neither this nor the encoding.
  hasNewInput: z.boolean().default(false),
  lastUpdateId: z.number().nullable(),
  historyLimitDays: z.number().nullable(),
  format: z.enum(['modern', 'legacy']),
  encoding: z.enum(bodyEncodings).nullable().default(null),
}) satisfies z.ZodType<PresenceRequest>;

export const visibilityChange = z.object({
  realmId: id,
  userId: id,
  joinedAt: seconds,
  isVisible: z.boolean(),
  changedAt: seconds,
  // Older releases do not know it, and publish it several times, which does no harm.
  isCopy: z.boolean().optional(),
}) satisfies z.ZodType<VisibilityChange>;

export const presenceViewer = z.object({
  realmId: id,
  userId: id,
  isGuest: z.boolean(),
}) satisfies z.ZodType<PresenceViewer>;

export const userPresenceQuestion = presenceViewer.extend({
  askedUserId: id,
}) satisfies z.ZodType<UserPresenceQuestion>;

/** What the gateway accepts from the presence program. */
export const userReading = z.union([
  z.object({ activeAt: seconds, idleAt: seconds }),
  z.enum(['unknown', 'notAllowed']),
]) satisfies z.ZodType<UserReading>;
