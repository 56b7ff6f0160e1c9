import type { Outcome } from '#push/breakers';
import type { RemoteClaim, RemoteRecord } from '#push/remotes';

/** Most notifications expire earlier. */
const MAX_ATTEMPTS = 200;

/** A record of a delivery that stays as it is. */
export const unchanged = ({ id }: Pick<RemoteClaim, 'id'>): RemoteRecord => ({
  id,
  state: 'pending',
  isAttempt: false,
  reason: null,
  dueAt: null,
  dead: null,
  learnt: null,
});

/** The end of a delivery that is not sent any more; null if it may still be sent. */
export function endOf(claim: RemoteClaim): RemoteRecord | null {
  if (!claim.isAddressable) return { ...unchanged(claim), state: 'revoked' };
  return claim.isExpired ? { ...unchanged(claim), state: 'expired' } : null;
}

/** The device as the prune alarm counts it: each app of each server apart. */
export const guardedDevice = ({ deviceId, platform, appId, serverId }: RemoteClaim) => ({
  userId: deviceId,
  platform,
  appId: `${appId ?? platform} of server ${serverId}`,
});

/** The record of an attempt that counts. `nextAt` is in UNIX milliseconds, for one that is repeated. */
export function recordOfRemote(
  claim: RemoteClaim,
  outcome: Exclude<Outcome, { kind: 'config_fault' }>,
  { isPruneAllowed, nextAt }: { readonly isPruneAllowed: boolean; readonly nextAt: number },
): RemoteRecord {
  const record = { ...unchanged(claim), isAttempt: true };
  switch (outcome.kind) {
    case 'delivered': {
      const { deviceId } = claim;
      const { environment } = outcome;
      const learnt = environment === null ? null : { deviceId, environment };
      return { ...record, state: 'delivered', learnt };
    }
    case 'dead_token': {
      const { platform, token, appId, readAt, serverId } = claim;
      const since = new Date(outcome.deadSince ?? readAt);
      const dead = { serverId, platform, token, appId: outcome.ofApp ? appId : null, since };
      return {
        ...record,
        state: 'dead_token',
        reason: outcome.reason,
        dead: isPruneAllowed ? dead : null,
      };
    }
    case 'message_fault':
      return { ...record, state: 'rejected', reason: outcome.reason };
    case 'retry':
      return claim.attempts + 1 < MAX_ATTEMPTS
        ? { ...record, reason: outcome.reason, dueAt: new Date(nextAt) }
        : { ...record, state: 'rejected', reason: outcome.reason };
  }
}
