import { describe, expect, it } from '@jest/globals';
import { OwnTokenCleanup } from '#push/delivery';
import { RemoteTokenCleanup } from '#push/tenants';
import { tokenCleanupsOf } from './push-worker.module.js';

const relay = { url: 'https://push.test', orgId: '', orgKey: '', externalUrl: '' };

describe(tokenCleanupsOf.name, () => {
  it('has all tokens of a server that sends itself', () => {
    expect(tokenCleanupsOf(null)).toEqual([OwnTokenCleanup, RemoteTokenCleanup]);
  });

  it('leaves the tokens of the devices to the push service of a server that relays', () => {
    expect(tokenCleanupsOf(relay)).toEqual([RemoteTokenCleanup]);
  });
});
