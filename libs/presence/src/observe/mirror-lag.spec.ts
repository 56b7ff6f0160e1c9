import { beforeEach, describe, expect, it } from '@jest/globals';
import { MirrorLag } from './mirror-lag.js';

describe(MirrorLag.name, () => {
  let sut: MirrorLag;

  beforeEach(() => {
    sut = new MirrorLag();
  });

  it('is none while the mirror has what the last check saw', () => {
    sut.checked(10, 10, 0);
    expect(sut.lagMs(10, 5000)).toBe(0);
  });

  it('grows from the first check that saw what is missing', () => {
    sut.checked(10, 8, 1000);
    sut.checked(12, 9, 2000);
    expect(sut.lagMs(9, 3500)).toBe(2500);
  });

  it('ends when what was missing has come, without another check', () => {
    sut.checked(10, 8, 1000);
    expect(sut.lagMs(10, 1500)).toBe(0);
  });

  it('begins anew in a mirror that moves but finds Redis ahead at each check', () => {
    sut.checked(10, 8, 1000);
    sut.checked(14, 12, 2000);
    expect(sut.lagMs(12, 2500)).toBe(500);
  });

  it('calls a mirror stuck that two checks find behind at one place', () => {
    expect(sut.checked(10, 8, 0)).toBe(false);
    expect(sut.checked(11, 9, 1000)).toBe(false);
    expect(sut.checked(11, 9, 2000)).toBe(true);
    expect(sut.checked(11, 11, 3000)).toBe(false);
    expect(sut.checked(11, 11, 4000)).toBe(false);
  });

  it('does not wait for what Redis has lost again', () => {
    sut.checked(10, 8, 1000);
    sut.checked(8, 8, 2000);
    expect(sut.lagMs(8, 3000)).toBe(0);
  });
});
