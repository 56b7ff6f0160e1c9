import { describe, expect, it } from '@jest/globals';
import type { Caller } from '#platform/contracts';
import { ownerOf } from './request-owner.js';

describe(ownerOf.name, () => {
  const ip = '127.0.0.1';
  const caller = { userId: 5 } as Caller;

  it('tells accounts, servers of other installations and addresses apart', () => {
    const server = { serverId: 5 };
    const account = ownerOf({ authenticated: { caller }, ip });
    expect(ownerOf({ authenticated: { caller: null, server }, ip })).not.toBe(account);
    expect(ownerOf({ authenticated: { caller: null }, ip })).toBe(ip);
    expect(ownerOf({ authenticated: null, ip })).toBe(ip);
  });

  it('is the same for all IPv6 addresses of one customer', () => {
    const [first, second, other] = ['2001:db8::1', '2001:db8::ffff:2', '2001:db8:0:1::1'].map(
      (address) => ownerOf({ authenticated: null, ip: address }),
    );
    expect(second).toBe(first);
    expect(other).not.toBe(first);
  });
});
