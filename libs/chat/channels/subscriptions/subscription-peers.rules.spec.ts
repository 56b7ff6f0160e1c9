import { describe, expect, it } from '@jest/globals';
import type { SubscriptionOfPeer } from './subscription-peers.repository.js';
import { peerChangesOf } from './subscription-peers.rules.js';

const subscription = (
  userId: number,
  channelId: number,
  rest: Partial<SubscriptionOfPeer> = {},
): SubscriptionOfPeer => ({
  userId,
  channelId,
  isArchived: false,
  visibleTo: 'members',
  listenerIds: [],
  ...rest,
});
const members = (...exceptIds: number[]) => ({ everyone: 'members', userIds: [], exceptIds });

describe(peerChangesOf.name, () => {
  it('has no change without subscriptions', async () => {
    expect(await peerChangesOf([])).toEqual([]);
  });

  it('combines the channels of an account that have the same audience', async () => {
    const guests = { listenerIds: [8, 9] };
    expect(
      await peerChangesOf([
        subscription(1, 10),
        subscription(1, 11, guests),
        subscription(1, 12),
        subscription(1, 13, guests),
      ]),
    ).toEqual([
      { channelIds: [10, 12], userIds: [1], isArchived: false, audience: members(1) },
      {
        channelIds: [11, 13],
        userIds: [1],
        isArchived: false,
        audience: { everyone: 'members', userIds: [8, 9], exceptIds: [1] },
      },
    ]);
  });

  it('combines accounts with the same channels', async () => {
    expect(
      await peerChangesOf([subscription(1, 10), subscription(2, 10), subscription(3, 11)]),
    ).toEqual([
      { channelIds: [10], userIds: [1, 2], isArchived: false, audience: members(1, 2) },
      { channelIds: [11], userIds: [3], isArchived: false, audience: members(3) },
    ]);
  });

  it('gives a private channel only to its listeners, without the account itself', async () => {
    const closed = { visibleTo: 'listed', listenerIds: [1, 5] } as const;
    expect(await peerChangesOf([subscription(1, 10, closed)])).toMatchObject([
      { audience: { userIds: [5] } },
    ]);
  });

  it('keeps archived channels apart', async () => {
    const changes = await peerChangesOf([
      subscription(1, 10),
      subscription(1, 11, { isArchived: true }),
    ]);
    expect(changes.map(({ isArchived }) => isArchived)).toEqual([false, true]);
  });
});
