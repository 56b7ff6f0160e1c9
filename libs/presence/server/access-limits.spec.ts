import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  AccessLimits,
  type AccessSource,
  isHiddenFrom,
  substituteHostOf,
} from './access-limits.js';

class FakeSource implements AccessSource {
  asked = 0;
  isAway = false;
  isTrusted = false;
  visible: ReadonlySet<number> = acquainted;

  async visibleTo(): Promise<ReadonlySet<number> | null> {
    this.asked += 1;
    if (this.isAway) throw new Error('away');
    return this.isTrusted ? null : this.visible;
  }
}

const guest = { realmId: 1, userId: 1, isGuest: true, substituteHost: 'chat.example.org' };
const acquainted = new Set([1, 2, 3]);
const withAddresses = { showsAddresses: true };
const withoutAddresses = { showsAddresses: false };

describe(AccessLimits.name, () => {
  let source: FakeSource;
  let limiting: AccessLimits;
  let renaming: AccessLimits;

  beforeEach(() => {
    source = new FakeSource();
    limiting = new AccessLimits(true, source);
    renaming = new AccessLimits(false, source);
  });

  it.each([true, false])(
    'shows a guest only the own presence and that of users who share something (with addresses: %s)',
    async (showsAddresses) => {
      const limits = { visibleUsers: acquainted, substituteHost: null };
      expect(await limiting.limitsFor(guest, { showsAddresses })).toEqual(limits);
    },
  );

  it('shows a guest all users, others by substitute addresses, if the server does not limit presence', async () => {
    const limits = { visibleUsers: acquainted, substituteHost: 'chat.example.org' };
    expect(await renaming.limitsFor(guest, withAddresses)).toEqual(limits);
  });

  it('hides other users from a guest without a host for substitute addresses', async () => {
    const fromOlderGateway = { realmId: 1, userId: 1, isGuest: true };
    const limits = { visibleUsers: acquainted, substituteHost: null };
    expect(await renaming.limitsFor(fromOlderGateway, withAddresses)).toEqual(limits);
  });

  it('shows all users to a guest in the group', async () => {
    source.isTrusted = true;
    expect(await limiting.limitsFor(guest, withAddresses)).toBeNull();
    expect(await renaming.limitsFor(guest, withAddresses)).toBeNull();
  });

  it('needs no query for members, and none without addresses if the server does not limit presence', async () => {
    expect(await limiting.limitsFor({ ...guest, isGuest: false }, withAddresses)).toBeNull();
    expect(await renaming.limitsFor({ ...guest, isGuest: false }, withAddresses)).toBeNull();
    expect(await renaming.limitsFor(guest, withoutAddresses)).toBeNull();
    expect(source.asked).toBe(0);
  });

  it('queries once for consecutive and concurrent polls', async () => {
    await Promise.all([
      limiting.limitsFor(guest, withoutAddresses),
      limiting.limitsFor(guest, withAddresses),
    ]);
    await limiting.limitsFor(guest, withoutAddresses);
    expect(source.asked).toBe(1);
  });

  it('remembers the limits of few guests who see very many users, because they take much memory', async () => {
    source.visible = new Set(Array.from({ length: 500_000 }, (_, id) => id));
    const query = (userId: number) =>
      limiting.limitsFor({ ...guest, userId }, { showsAddresses: false });
    for (const userId of [1, 2, 3, 4, 4]) await query(userId);
    expect(source.asked).toBe(4);
    await query(1);
    expect(source.asked).toBe(5);
  });

  it('finds the limits of guests who ask at once, also if the cache has no room for those of all', async () => {
    source.visible = new Set(Array.from({ length: 500_000 }, (_, id) => id));
    const query = (userId: number) =>
      limiting.limitsFor({ ...guest, userId }, { showsAddresses: false });
    const limits = await Promise.all([1, 2, 3, 4, 5, 6, 7].map(query));
    expect(limits.map((found) => found?.visibleUsers.size)).toEqual(Array(7).fill(500_000));
  });

  it('shows a guest only the own presence while the limits are unknown', async () => {
    source.isAway = true;
    expect((await limiting.limitsFor(guest, withoutAddresses))?.visibleUsers).toEqual(new Set([1]));
    expect((await renaming.limitsFor(guest, withAddresses))?.visibleUsers).toEqual(new Set([1]));
  });
});

describe(substituteHostOf.name, () => {
  const limits = { visibleUsers: acquainted, substituteHost: 'chat.example.org' };

  it('returns the host only for users who are not visible', () => {
    expect(substituteHostOf(9, limits)).toBe('chat.example.org');
    expect(substituteHostOf(2, limits)).toBeNull();
    expect(substituteHostOf(9, null)).toBeNull();
  });
});

describe(isHiddenFrom.name, () => {
  it('hides users who are not visible if there is no substitute address', () => {
    const limits = { visibleUsers: acquainted, substituteHost: null };
    expect(isHiddenFrom(9, limits)).toBe(true);
    expect(isHiddenFrom(2, limits)).toBe(false);
    expect(isHiddenFrom(9, { ...limits, substituteHost: 'chat.example.org' })).toBe(false);
    expect(isHiddenFrom(9, null)).toBe(false);
  });
});
