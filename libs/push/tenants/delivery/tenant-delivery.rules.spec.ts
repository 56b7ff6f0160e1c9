import { describe, expect, it } from '@jest/globals';
import type { Outcome } from '#push/providers';
import type { TenantClaim } from './tenant-delivery.repository.js';
import { endOf, recordOfTenant } from './tenant-delivery.rules.js';

const READ_AT = 1_700_000_000_000;
const NEXT_AT = READ_AT + 60_000;

const claim: TenantClaim = {
  id: 9,
  state: 'pending',
  serverId: 5,
  registeredFrom: null,
  realmId: null,
  deviceId: 7,
  platform: 'apns',
  attempts: 0,
  isLeased: true,
  isExpired: false,
  isAddressable: true,
  behindUntil: null,
  sealed: null,
  token: 'ABCDEF',
  appId: 'org.example.chat',
  environment: null,
  fcmTarget: null,
  acceptedAt: READ_AT - 1000,
  dueAt: READ_AT,
  databaseNow: READ_AT,
  claimStartedAt: 0,
};
const ended = { id: 9, isAttempt: true, reason: null, dueAt: null, dead: null, learnt: null };
const dead = {
  serverId: 5,
  platform: 'apns',
  token: 'ABCDEF',
  appId: null,
  since: new Date(READ_AT),
};

type Concluded = Exclude<Outcome, { kind: 'config_fault' }>;
const deadToken = { kind: 'dead_token', deadSince: null, ofApp: false, isSuspect: false } as const;
const retry: Concluded = {
  kind: 'retry',
  class: 'temporary',
  scope: 'device',
  reason: 'Shutdown',
  firstDelayMs: 1000,
  retryAfterMs: null,
};

describe(recordOfTenant, () => {
  it.each<[string, Concluded, { isPruneAllowed: boolean; attempts: number }, object]>([
    [
      'a delivered push',
      { kind: 'delivered', environment: null },
      { isPruneAllowed: false, attempts: 0 },
      { ...ended, state: 'delivered' },
    ],
    [
      'a delivered push with a new environment',
      { kind: 'delivered', environment: 'sandbox' },
      { isPruneAllowed: false, attempts: 0 },
      { ...ended, state: 'delivered', learnt: { deviceId: 7, environment: 'sandbox' } },
    ],
    [
      'a dead token that may be removed',
      { ...deadToken, reason: 'Unregistered' },
      { isPruneAllowed: true, attempts: 0 },
      { ...ended, state: 'dead_token', reason: 'Unregistered', dead },
    ],
    [
      'a dead token of one app since a time',
      { ...deadToken, reason: 'x', ofApp: true, deadSince: READ_AT - 500 },
      { isPruneAllowed: true, attempts: 0 },
      {
        ...ended,
        state: 'dead_token',
        reason: 'x',
        dead: { ...dead, appId: 'org.example.chat', since: new Date(READ_AT - 500) },
      },
    ],
    [
      'a dead token during an alarm',
      { ...deadToken, reason: 'Unregistered' },
      { isPruneAllowed: false, attempts: 0 },
      { ...ended, state: 'dead_token', reason: 'Unregistered' },
    ],
    [
      'an invalid message',
      { kind: 'message_fault', reason: 'BadTopic', wasSent: true },
      { isPruneAllowed: false, attempts: 0 },
      { ...ended, state: 'rejected', reason: 'BadTopic' },
    ],
    [
      'the last attempt but one',
      retry,
      { isPruneAllowed: false, attempts: 198 },
      { ...ended, state: 'pending', reason: 'Shutdown', dueAt: new Date(NEXT_AT) },
    ],
    [
      'the last attempt',
      retry,
      { isPruneAllowed: false, attempts: 199 },
      { ...ended, state: 'rejected', reason: 'Shutdown' },
    ],
  ])('of %s', (_name, outcome, { isPruneAllowed, attempts }, expected) => {
    const conclusion = { outcome, isPruneAllowed, nextAt: NEXT_AT, push: null };
    expect(recordOfTenant({ ...claim, attempts }, conclusion)).toEqual(expected);
  });
});

describe(endOf, () => {
  it.each([
    [{ isAddressable: true, isExpired: false }, null],
    [{ isAddressable: true, isExpired: true }, 'expired'],
    [{ isAddressable: false, isExpired: false }, 'revoked'],
    [{ isAddressable: false, isExpired: true }, 'revoked'],
  ])('of %j is %s', (facts, state) => {
    const expected = state === null ? null : { ...ended, state, isAttempt: false };
    expect(endOf({ ...claim, ...facts })).toEqual(expected);
  });
});
