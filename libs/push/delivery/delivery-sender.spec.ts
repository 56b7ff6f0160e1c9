import { describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { OutgoingPush, PushTransport } from '#push/providers';
import type { RevokedPushes } from '#push/revocations';
import type { DueDelivery } from './delivery-claim.repository.js';
import type { DeliveryContents } from './delivery-contents.js';
import { LEASE_SLACK_MS } from './delivery-lease.js';
import { DeliverySender } from './delivery-sender.js';
import type { ProviderAttempts } from './provider-attempts.js';

const dueSince = (claimStartedAt: number) =>
  ({
    kind: 'due',
    notificationId: 'one',
    deviceId: 1,
    platform: 'apns',
    userId: 1,
    attempts: 0,
    content: { kind: 'message', messageId: 1, trigger: 'direct', replaces: 'first' },
    claimStartedAt,
  }) as unknown as DueDelivery;

const transport = {} as PushTransport;

const content = () => Promise.resolve({ recipient: {}, content: {} });

function senderOf(read: () => Promise<unknown> = content) {
  const sent: OutgoingPush[] = [];
  const attempts: Pick<ProviderAttempts, 'send'> = {
    send: async (_transport, { push }) => {
      sent.push(push);
      return { kind: 'revoked' };
    },
  };
  const sut = new DeliverySender(
    { read } as unknown as DeliveryContents,
    attempts as ProviderAttempts,
    {} as RevokedPushes,
    () => 0,
  );
  return { sut, sent };
}

describe(DeliverySender, () => {
  it('sends within the slack of the lease', async () => {
    const { sut, sent } = senderOf();
    const result = await sut.send(transport, dueSince(performance.now() - LEASE_SLACK_MS / 2));
    expect(result.kind).toBe('revoked');
    expect(sent).toMatchObject([{ notificationId: 'one', replaces: 'first' }]);
  });

  it('does not send what another worker may claim before the answer', async () => {
    const { sut, sent } = senderOf();
    const result = await sut.send(transport, dueSince(performance.now() - LEASE_SLACK_MS - 1));
    expect(result).toEqual({ kind: 'lease_too_old' });
    expect(sent).toEqual([]);
  });

  it.each([
    ['each delivery that fails through a defect', new Error('a bad key'), { error: 2, warn: 0 }],
    ['an outage once', new Error('Query read timeout'), { error: 0, warn: 1 }],
  ])('logs %s', async (_what, failure, entries) => {
    const error = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    const { sut } = senderOf(() => Promise.reject(failure));
    for (let time = 0; time < 2; time += 1) {
      expect(await sut.send(transport, dueSince(performance.now()))).toEqual({ kind: 'failed' });
    }
    expect({ error: error.mock.calls.length, warn: warn.mock.calls.length }).toEqual(entries);
    error.mockRestore();
    warn.mockRestore();
  });
});
