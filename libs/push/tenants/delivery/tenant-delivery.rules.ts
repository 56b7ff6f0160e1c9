import type { Outcome } from '#push/providers';
import { type Conclusion, stateAfter } from '#push/delivery';
import type { RemoteClaim, RemoteRecord } from './tenant-delivery.repository.js';

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

/** The record of an attempt that counts. */
export function recordOfRemote(claim: RemoteClaim, conclusion: Conclusion): RemoteRecord {
  const { outcome, isPruneAllowed } = conclusion;
  const { state, reason, dueAt } = stateAfter(conclusion, claim.attempts);
  return {
    id: claim.id,
    state,
    isAttempt: true,
    reason,
    dueAt,
    dead: outcome.kind === 'dead_token' && isPruneAllowed ? deadTokenOf(claim, outcome) : null,
    learnt: outcome.kind === 'delivered' ? learntFrom(claim, outcome) : null,
  };
}

function deadTokenOf(
  { serverId, platform, token, appId, databaseNow }: RemoteClaim,
  { deadSince, ofApp }: Extract<Outcome, { kind: 'dead_token' }>,
): RemoteRecord['dead'] {
  const since = new Date(deadSince ?? databaseNow);
  return { serverId, platform, token, appId: ofApp ? appId : null, since };
}

const learntFrom = (
  { deviceId }: RemoteClaim,
  { environment }: Extract<Outcome, { kind: 'delivered' }>,
): RemoteRecord['learnt'] => (environment === null ? null : { deviceId, environment });
