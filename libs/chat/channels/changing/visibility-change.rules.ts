import type { Audience } from '#events/log';
import { audienceOf, type ChannelAudience, listedIn } from '../access/channel-audience.rules.js';

/** The accounts that see a channel since a change, before and after it, and no more. */
interface VisibilityChange {
  readonly gaining: Audience;
  readonly staying: Audience;
  readonly losing: Audience;
}

/** The audience without accounts. */
export const nobody: Audience = { userIds: [] };

/**
 * Compares the audiences of a channel before and after a change. `guestIds` are the guests of the organisation, for a
 * channel that all accounts could see.
 */
export function visibilityChange(
  before: ChannelAudience,
  after: ChannelAudience,
  guestIds: readonly number[],
): VisibilityChange {
  const [listedBefore, listedAfter] = [listedIn(before), listedIn(after)];
  if (before.everyone === after.everyone && after.everyone !== null) {
    return { gaining: nobody, staying: audienceOf(after), losing: nobody };
  }
  if (before.everyone === null && after.everyone === null) {
    return {
      gaining: { userIds: without(listedAfter, listedBefore) },
      staying: { userIds: without(listedAfter, without(listedAfter, listedBefore)) },
      losing: { userIds: without(listedBefore, listedAfter) },
    };
  }
  if (before.everyone === 'all' && after.everyone === 'members') {
    const losing = { userIds: without(guestIds, listedAfter) };
    return { gaining: nobody, staying: audienceOf(after), losing };
  }
  if (after.everyone !== null) {
    const gaining = { everyone: after.everyone, exceptIds: listedBefore };
    return { gaining, staying: { userIds: listedBefore }, losing: nobody };
  }
  const { everyone } = before;
  const losing = everyone === null ? nobody : { everyone, exceptIds: listedAfter };
  return { gaining: nobody, staying: { userIds: listedAfter }, losing };
}

function without(ids: readonly number[], others: readonly number[]): number[] {
  const known = new Set(others);
  return ids.filter((id) => !known.has(id));
}
