import { describe, expect, it } from '@jest/globals';
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
    claimStartedAt,
  }) as unknown as DueDelivery;

const transport = {} as PushTransport;

function senderOf() {
  const sent: OutgoingPush[] = [];
  const attempts: Pick<ProviderAttempts, 'send'> = {
    send: async (_transport, { push }) => {
      sent.push(push);
      return { kind: 'revoked' };
    },
  };
  const sut = new DeliverySender(
    { read: () => Promise.resolve({ recipient: {}, content: {} }) } as unknown as DeliveryContents,
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
    expect(sent).toHaveLength(1);
  });

  it('does not send what another worker may claim before the answer', async () => {
    const { sut, sent } = senderOf();
    const result = await sut.send(transport, dueSince(performance.now() - LEASE_SLACK_MS - 1));
    expect(result).toEqual({ kind: 'lease_too_old' });
    expect(sent).toEqual([]);
  });
});
