import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  placingOf,
  URGENT_DEVICES_PER_EVENT,
  URGENT_DEVICES_PER_REALM,
  URGENT_DEVICES_PER_USER,
} from './lane.rules.js';

const load = (devicesOfUser: number, devicesOfRealm = devicesOfUser, devicesOfEvent = 1) => ({
  devicesOfEvent,
  devicesOfUser,
  devicesOfRealm,
});

describe(placingOf, () => {
  it.each(['test', 'message'] as const)('lets nobody wait for a %s within their share', (kind) => {
    expect(placingOf(kind, load(1))).toEqual({ lane: 'urgent' });
    expect(placingOf(kind, load(URGENT_DEVICES_PER_USER))).toEqual({ lane: 'urgent' });
  });

  it('lets wait what clears a screen', () => {
    expect(placingOf('remove', load(1))).toEqual({ lane: 'bulk', priority: 1 });
  });

  it.each([
    ['an account', load(URGENT_DEVICES_PER_USER + 1), 2],
    ['an event', load(1, 1, URGENT_DEVICES_PER_EVENT + 1), 2],
    ['an organisation', load(1, URGENT_DEVICES_PER_REALM + 1), 2],
    ['an account with fifty times its share', load(50 * URGENT_DEVICES_PER_USER), 7],
  ])('lets wait what is beyond the share of %s', (_who, recent, priority) => {
    expect(placingOf('message', recent)).toEqual({ lane: 'bulk', priority });
  });

  it('never puts more load before less, and never leaves the range of priorities', () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), fc.nat(10_000_000), (one, other) => {
        const [less, more] = [Math.min(one, other), Math.max(one, other)];
        const rank = (devices: number) => placingOf('message', load(devices)).priority ?? 0;
        expect(rank(less)).toBeLessThanOrEqual(rank(more));
        expect(rank(more)).toBeLessThanOrEqual(20);
      }),
    );
  });
});
