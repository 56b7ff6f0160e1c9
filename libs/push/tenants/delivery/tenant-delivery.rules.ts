import type { Outcome } from '#push/providers';
import { type Conclusion, stateAfter } from '#push/delivery';
import type { TenantClaim, TenantRecord } from './tenant-delivery.repository.js';

/** A record of a delivery that stays as it is. */
export const unchanged = ({ id }: Pick<TenantClaim, 'id'>): TenantRecord => ({
  id,
  state: 'pending',
  isAttempt: false,
  reason: null,
  dueAt: null,
  dead: null,
  learnt: null,
});

/** The end of a delivery that is not sent any more; null if it may still be sent. */
export function endOf(claim: TenantClaim): TenantRecord | null {
  if (!claim.isAddressable) return { ...unchanged(claim), state: 'revoked' };
  return claim.isExpired ? { ...unchanged(claim), state: 'expired' } : null;
}

/** The record of an attempt that counts. */
export function recordOfTenant(claim: TenantClaim, conclusion: Conclusion): TenantRecord {
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
  { serverId, platform, token, appId, databaseNow }: TenantClaim,
  { deadSince, ofApp }: Extract<Outcome, { kind: 'dead_token' }>,
): TenantRecord['dead'] {
  const since = new Date(deadSince ?? databaseNow);
  return { serverId, platform, token, appId: ofApp ? appId : null, since };
}

const learntFrom = (
  { deviceId }: TenantClaim,
  { environment }: Extract<Outcome, { kind: 'delivered' }>,
): TenantRecord['learnt'] => (environment === null ? null : { deviceId, environment });
