import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { PushTransport } from '#push/providers';
import { TenantContentSealer } from '../notify/tenant-content-sealer.js';
import type { RevokedPushes } from '#push/revocations';
import type { AttemptResult, ProviderAttempt, ProviderAttempts } from '#push/delivery';
import type { TenantClaim } from './tenant-delivery.repository.js';
import { TenantSender } from './tenant-sender.js';

const NOW = 1_700_000_000_000;
const sealer = new TenantContentSealer(Buffer.alloc(32, 1));
const content = { isSilent: false, apnsUrgency: null, payload: { event: 'message' } };
const claim = {
  id: 9,
  serverId: 5,
  registeredFrom: null,
  realmId: 6,
  deviceId: 7,
  platform: 'apns',
  appId: 'org.example.chat',
  attempts: 2,
  sealed: sealer.seal(content),
} as TenantClaim;

describe(TenantSender.name, () => {
  let result: AttemptResult;
  let attempts: ProviderAttempt[];
  let errors: ReturnType<typeof jest.spyOn>;

  beforeEach(() => {
    result = { kind: 'revoked' };
    attempts = [];
    errors = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
  });
  afterEach(() => void jest.restoreAllMocks());

  const sender: Pick<ProviderAttempts, 'send'> = {
    send: async (_transport, attempt) => {
      attempts.push(attempt);
      return result;
    },
  };
  const sut = new TenantSender(sealer, sender as ProviderAttempts, {} as RevokedPushes, () => NOW);
  const send = (one: TenantClaim) => sut.send({} as PushTransport, one);

  it('counts all servers that were registered from one network as one account', async () => {
    await send({ ...claim, registeredFrom: '192.0.2.7' });
    await send({ ...claim, registeredFrom: '192.0.2.7', serverId: 8 });
    expect(attempts.map(({ quorumKey }) => quorumKey)).toEqual([
      'network 192.0.2.7',
      'network 192.0.2.7',
    ]);
  });

  it('counts a server as one account, and the tokens of its apps by their device', async () => {
    await send(claim);
    expect(attempts).toMatchObject([
      {
        number: 3,
        quorumKey: 'server 5',
        appId: 'org.example.chat',
        serverId: 5,
        ownerId: 7,
        subjects: ['server 5', 'realm 6'],
        push: { content: { kind: 'prepared', ...content } },
      },
    ]);
  });

  it.each(['fid', 'token', null] as const)('sends to what was registered as %s', async (target) => {
    await send({ ...claim, platform: 'fcm', fcmTarget: target });
    expect(attempts[0]?.push.fcmTarget).toBe(target);
  });

  it('leaves a withdrawn push to the next claim, which finds the stop', async () => {
    expect(await send(claim)).toMatchObject({ state: 'pending', isAttempt: false, reason: null });
  });

  it('counts no attempt while the circuit breaker is open', async () => {
    const until = NOW + 5000;
    const { push } = {} as ProviderAttempt;
    const unsent = { answer: null, mayBeShown: false };
    result = { kind: 'delayed', push, ...unsent, until, reason: 'TopicDisallowed' };
    const record = await send(claim);
    expect(record).toMatchObject({ state: 'pending', isAttempt: false, reason: 'TopicDisallowed' });
    expect(record.dueAt?.getTime()).toBeGreaterThanOrEqual(until);
  });

  it('waits with content of another secret, and shows nothing of it', async () => {
    const sealed = new TenantContentSealer(Buffer.alloc(32, 2)).seal(content);
    const record = await send({ ...claim, sealed });
    // After some attempts it holds up no others.
    expect(record).toMatchObject({ state: 'pending', isAttempt: true, reason: 'unreadable' });
    expect(record.dueAt?.getTime()).toBeGreaterThanOrEqual(NOW + 60_000);
    // Nor does it use up the attempts of a worker with the right secret.
    expect(await send({ ...claim, sealed, attempts: 5 })).toMatchObject({ isAttempt: false });
    expect(attempts).toEqual([]);
    expect(JSON.stringify(errors.mock.calls)).not.toContain('event');
  });
});
