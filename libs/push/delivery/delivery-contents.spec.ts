import { describe, expect, it, jest } from '@jest/globals';
import type { DeviceKeys } from '#push/devices';
import type { BadgeRepository, ContentReader } from '#push/notifications';
import type { PushContent } from '#push/providers';
import { DeliveryContents } from './delivery-contents.js';
import { due } from './due-delivery.fixture.js';
import type { Recipients } from './recipients.js';
import type { SubscriptionContents } from './subscription-contents.js';

const count = jest.fn<BadgeRepository['count']>(() => Promise.resolve(3));

/** Reads a content for a device. */
async function read(content: PushContent, wantsBadge: boolean) {
  const reader: Pick<ContentReader, 'read'> = { read: async () => content };
  const recipients: Recipients = { of: async () => ({}) as never };
  // Phones with plain text need neither keys nor subscriptions.
  const sut = new DeliveryContents(
    reader as ContentReader,
    {} as DeviceKeys,
    {} as SubscriptionContents,
    { count } as Pick<BadgeRepository, 'count'> as BadgeRepository,
    recipients,
  );
  return sut.read({ ...due, wantsBadge });
}

const removal: PushContent = { kind: 'remove', messageIds: [7] };
const test: PushContent = { kind: 'test', time: 1 };

describe(DeliveryContents.name, () => {
  it('counts for a phone that asks for a badge', async () => {
    expect(await read(removal, true)).toMatchObject({ content: { ...removal, badge: 3 } });
    expect(count).toHaveBeenCalledWith(due.userId);
  });

  it.each([
    ['a phone that does not ask', removal, false],
    ['a test notification', test, true],
  ])('counts nothing for %s', async (_, content, wantsBadge) => {
    count.mockClear();
    expect(await read(content, wantsBadge)).toEqual({ content });
    expect(count).not.toHaveBeenCalled();
  });
});
