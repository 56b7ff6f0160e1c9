import { describe, expect, it } from '@jest/globals';
import { OwnTokenCleanup } from '#push/delivery';
import { LateSubscriptions } from '#push/devices';
import { TenantTokenCleanup } from '#push/tenants';
import { tokenCleanupsOf } from './push-worker.module.js';

const relay = { url: 'https://push.test', orgId: '', orgKey: '', externalUrl: '' };

describe(tokenCleanupsOf.name, () => {
  it('has all tokens of a server that sends itself', () => {
    expect(tokenCleanupsOf(null)).toEqual([OwnTokenCleanup, TenantTokenCleanup, LateSubscriptions]);
  });

  it('leaves the tokens of the devices to the push service of a server that relays', () => {
    expect(tokenCleanupsOf(relay)).toEqual([TenantTokenCleanup, LateSubscriptions]);
  });
});
