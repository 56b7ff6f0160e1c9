import type { BodyEncoding, Caller, PresenceRequest } from '#contracts';
import { roles } from '#contracts';
import type { ParametersOf } from '#edge';
import type { reportPresence } from './report-presence.schema.js';

/** What the presence program is asked on behalf of a caller, `nowMs` being when the request came. */
export const presenceRequestOf = (
  caller: Caller,
  parameters: ParametersOf<typeof reportPresence>,
  encoding: BodyEncoding | null,
  nowMs: number,
): PresenceRequest => ({
  realmId: caller.realm.id,
  userId: caller.userId,
  joinedAt: caller.joinedAt,
  status: parameters.status,
  reportedAt: Math.floor(nowMs / 1000),
  isVisible: caller.isPresenceEnabled,
  isGuest: caller.role >= roles.guest,
  isRealmPresenceDisabled: caller.realm.isPresenceDisabled,
  pingOnly: parameters.ping_only,
  hasNewInput: parameters.new_user_input,
  lastUpdateId: parameters.last_update_id ?? null,
  historyLimitDays: parameters.history_limit_days ?? null,
  format: parameters.slim_presence || parameters.last_update_id !== undefined ? 'modern' : 'legacy',
  encoding,
});
