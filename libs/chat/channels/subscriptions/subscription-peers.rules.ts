import type { Audience } from '#events/log';
import { mapInSlices, TimeSlice } from '#platform/core';
import type { SubscriptionOfPeer } from './subscription-peers.repository.js';

/** Accounts whose subscriptions to the same channels have the same audience. */
interface PeerChange {
  readonly channelIds: readonly number[];
  readonly userIds: readonly number[];
  /** Whether the channels are archived; not all clients know of those. */
  readonly isArchived: boolean;
  readonly audience: Audience;
}

interface Draft {
  readonly first: SubscriptionOfPeer;
  readonly channelIds: number[];
}

/**
 * Combines subscriptions to as few changes as their audiences allow; the accounts themselves get no change. In time slices:
 * the audience of each of thousands of channels may have all accounts.
 */
export async function peerChangesOf(
  subscriptions: readonly SubscriptionOfPeer[],
): Promise<PeerChange[]> {
  const slice = new TimeSlice();
  const byPeer = new Map<string, Draft>();
  for (const subscription of subscriptions) {
    await slice.next();
    const { userId, channelId, isArchived, visibleTo, listenerIds } = subscription;
    const key = JSON.stringify([userId, isArchived, visibleTo, listenerIds]);
    const draft = byPeer.get(key);
    if (draft === undefined) byPeer.set(key, { first: subscription, channelIds: [channelId] });
    else draft.channelIds.push(channelId);
  }
  const combined = new Map<string, Draft & { readonly userIds: number[] }>();
  for (const draft of byPeer.values()) {
    await slice.next();
    const { isArchived, visibleTo, listenerIds, userId } = draft.first;
    const key = JSON.stringify([draft.channelIds, isArchived, visibleTo, listenerIds]);
    const known = combined.get(key);
    if (known === undefined) combined.set(key, { ...draft, userIds: [userId] });
    else known.userIds.push(userId);
  }
  return mapInSlices([...combined.values()], ({ first, channelIds, userIds }) => ({
    channelIds,
    userIds,
    isArchived: first.isArchived,
    audience: audienceOf(first, userIds),
  }));
}

function audienceOf(
  { visibleTo, listenerIds }: SubscriptionOfPeer,
  peerIds: readonly number[],
): Audience {
  const peers = new Set(peerIds);
  const userIds = listenerIds.filter((id) => !peers.has(id));
  return visibleTo === 'listed'
    ? { userIds }
    : { everyone: visibleTo, userIds, exceptIds: peerIds };
}
