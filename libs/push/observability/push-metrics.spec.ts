import { beforeEach, describe, expect, it } from '@jest/globals';
import { deliveryStates } from '#push/jobs';
import { Metrics } from '#platform/telemetry';
import { PushMetrics } from './push-metrics.js';

const NOW = 1_700_000_100_000;
const delivery = {
  platform: 'apns',
  kind: 'message',
  appId: 'org.example.chat',
  acceptedAt: NOW - 2000,
} as const;

describe(PushMetrics.name, () => {
  let metrics: Metrics;
  let sut: PushMetrics;

  beforeEach(() => {
    metrics = new Metrics();
    sut = new PushMetrics(metrics, () => NOW);
  });

  it('starts counters at zero, so that the first event is an increase', async () => {
    const text = await metrics.read();
    const series = ['dead_lettered', 'expired', 'sent'].flatMap((name) =>
      ['test', 'message', 'remove'].map(
        (kind) => `carillon_push_${name}_total{platform="fcm",kind="${kind}"} 0\n`,
      ),
    );
    for (const one of series) expect(text).toContain(one);
    expect(text).toContain('carillon_push_pruned_total{platform="apns"} 0\n');
  });

  it('counts accepted deliveries by lane', async () => {
    sut.accepted('apns', 'message', 'urgent', 3);
    expect(await metrics.read()).toContain(
      'carillon_push_accepted_total{platform="apns",kind="message",lane="urgent"} 3\n',
    );
  });

  it('counts an end by its state, and in the counter of that state', async () => {
    for (const state of deliveryStates) if (state !== 'pending') sut.ended(delivery, state);
    const text = await metrics.read();
    for (const state of [
      'delivered',
      'dead_token',
      'rejected',
      'expired',
      'revoked',
      'withdrawn',
    ]) {
      expect(text).toContain(
        `carillon_push_ended_total{platform="apns",kind="message",state="${state}"} 1\n`,
      );
    }
    for (const name of ['sent', 'expired', 'dead_lettered']) {
      expect(text).toContain(`carillon_push_${name}_total{platform="apns",kind="message"} 1\n`);
    }
  });

  it('measures the time from acceptance to the answer, only after an answer', async () => {
    sut.ended(delivery, 'delivered');
    sut.ended(delivery, 'withdrawn');
    const text = await metrics.read();
    const series = 'platform="apns",kind="message"';
    expect(text).toContain(`carillon_push_latency_seconds_bucket{le="1",${series}} 0\n`);
    expect(text).toContain(`carillon_push_latency_seconds_bucket{le="2.5",${series}} 1\n`);
    expect(text).toContain(`carillon_push_latency_seconds_count{${series}} 1\n`);
  });

  it('tolerates a clock that is behind', async () => {
    sut.ended({ ...delivery, acceptedAt: NOW + 500 }, 'delivered');
    expect(await metrics.read()).toContain(
      'carillon_push_latency_seconds_sum{platform="apns",kind="message"} 0\n',
    );
  });

  it('counts retries, removals and held deliveries', async () => {
    sut.retried(delivery, 'TooManyRequests');
    sut.retried(delivery, '<html>whatever a proxy says</html>');
    sut.pruned('fcm', 2);
    sut.delayedByBreaker('fcm', 5);
    const text = await metrics.read();
    expect(text).toContain(
      'carillon_push_retried_total{platform="apns",reason="TooManyRequests"} 1\n',
    );
    expect(text).toContain('carillon_push_retried_total{platform="apns",reason="other"} 1\n');
    expect(text).toContain('carillon_push_pruned_total{platform="fcm"} 2\n');
    expect(text).toContain('carillon_push_held_total{platform="fcm"} 5\n');
  });
});
