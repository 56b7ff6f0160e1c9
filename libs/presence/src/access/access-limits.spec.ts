import { beforeEach, describe, expect, it } from '@jest/globals';
import { AccessLimits, type AccessSource } from './access-limits.js';

class FakeSource implements AccessSource {
  asked = 0;
  isAway = false;
  isTrusted = false;

  async seesEveryone(): Promise<boolean> {
    this.asked += 1;
    if (this.isAway) throw new Error('away');
    return this.isTrusted;
  }

  async sharingWith(): Promise<number[]> {
    return [2, 3];
  }
}

const guest = { realmId: 1, userId: 1, isGuest: true };

describe(AccessLimits.name, () => {
  let source: FakeSource;
  let sut: AccessLimits;

  beforeEach(() => {
    source = new FakeSource();
    sut = new AccessLimits(true, source);
  });

  it('shows a guest those they share something with, and themselves', async () => {
    expect(await sut.seenBy(guest)).toEqual(new Set([1, 2, 3]));
  });

  it('shows a guest of the group everyone', async () => {
    source.isTrusted = true;
    expect(await sut.seenBy(guest)).toBeNull();
  });

  it('asks nothing for members, nor where the server limits nobody', async () => {
    expect(await sut.seenBy({ ...guest, isGuest: false })).toBeNull();
    expect(await new AccessLimits(false, source).seenBy(guest)).toBeNull();
    expect(source.asked).toBe(0);
  });

  it('asks once for polls in a row, and at the same time', async () => {
    await Promise.all([sut.seenBy(guest), sut.seenBy(guest)]);
    await sut.seenBy(guest);
    expect(source.asked).toBe(1);
  });

  it('shows a guest only themselves while nothing is known of them', async () => {
    source.isAway = true;
    expect(await sut.seenBy(guest)).toEqual(new Set([1]));
  });
});
