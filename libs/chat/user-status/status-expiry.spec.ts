import { describe, expect, it } from '@jest/globals';
import { StatusExpiry } from './status-expiry.js';
import type { UserStatusRepository } from './user-status.repository.js';
import type { UserStatusService } from './user-status.service.js';

/** Statuses that have all ended, by the id of their account. */
function endedStatuses(count: number, failingIds: readonly number[] = []) {
  const left = new Set(Array.from({ length: count }, (_, index) => index + 1));
  const expired = (limit: number) =>
    Promise.resolve([...left].slice(0, limit).map((userId) => ({ userId, realmId: 1 })));
  const expire = ({ userId }: { readonly userId: number }) => {
    if (failingIds.includes(userId)) return Promise.reject(new Error(`No ${userId}`));
    left.delete(userId);
    return Promise.resolve();
  };
  // Test fakes: the task calls only these methods.
  const sut = new StatusExpiry(
    { expired } as unknown as UserStatusRepository,
    { expire } as unknown as UserStatusService,
  );
  return { sut, left };
}

describe('StatusExpiry.expireAll', () => {
  it('removes all statuses that have ended, however many end at once', async () => {
    const { sut, left } = endedStatuses(250);
    await sut.expireAll();
    expect(left.size).toBe(0);
  });

  it('ends after a batch with a failure, and rejects with it', async () => {
    const { sut, left } = endedStatuses(250, [7]);
    await expect(sut.expireAll()).rejects.toThrow('No 7');
    expect([...left].slice(0, 2)).toEqual([7, 101]);
  });
});
