import { describe, expect, it } from '@jest/globals';
import { CircuitBreakers } from '#push/breakers';
import type { InFlightPushes } from '#push/observability';
import type { OutgoingPush, PushTransport } from '#push/providers';
import type { RevokedPushes } from '#push/revocations';
import { type DueDelivery, LEASE_SLACK_MS } from './delivery-claim.repository.js';
import type { DeliveryContents } from './delivery-contents.js';
import { DeliverySender } from './delivery-sender.js';

const dueSince = (claimedAt: number) =>
  ({
    kind: 'due',
    notificationId: 'one',
    deviceId: 1,
    platform: 'apns',
    userId: 1,
    attempts: 0,
    claimedAt,
  }) as unknown as DueDelivery;

function senderOf() {
  const sent: OutgoingPush[] = [];
  const transport = {
    send: (push: OutgoingPush) => {
      sent.push(push);
      return Promise.resolve({ kind: 'accepted' });
    },
  } as unknown as PushTransport;
  const sut = new DeliverySender(
    { read: () => Promise.resolve({ recipient: {}, content: {} }) } as unknown as DeliveryContents,
    new CircuitBreakers(() => 0),
    { track: (_of: unknown, work: unknown) => work } as unknown as RevokedPushes,
    { track: (_of: unknown, send: () => unknown) => send() } as unknown as InFlightPushes,
    () => 0,
  );
  return { sut, sent, transport };
}

describe(DeliverySender, () => {
  it('sends within the slack of the lease', async () => {
    const { sut, sent, transport } = senderOf();
    const result = await sut.send(transport, dueSince(performance.now() - LEASE_SLACK_MS / 2));
    expect(result.kind).toBe('answered');
    expect(sent).toHaveLength(1);
  });

  it('does not send what another worker may claim before the answer', async () => {
    const { sut, sent, transport } = senderOf();
    const result = await sut.send(transport, dueSince(performance.now() - LEASE_SLACK_MS - 1));
    expect(result).toEqual({ kind: 'late' });
    expect(sent).toEqual([]);
  });
});
