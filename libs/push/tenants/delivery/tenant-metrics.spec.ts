import { beforeEach, describe, expect, it } from '@jest/globals';
import { Metrics } from '#platform/telemetry';
import type { OutcomeCounter } from '#push/observability';
import { TenantMetrics } from './tenant-metrics.js';

describe(TenantMetrics.name, () => {
  const counted: string[] = [];
  const outcomes = {
    ofServers: (platform: string, outcome: string) => counted.push(`${platform} ${outcome}`),
  };
  let metrics: Metrics;
  let sut: TenantMetrics;

  beforeEach(() => {
    metrics = new Metrics();
    // It uses this method only.
    sut = new TenantMetrics(metrics, outcomes as unknown as OutcomeCounter, () => 5000);
  });

  const claim = { platform: 'apns', acceptedAt: 0 } as const;
  const linesOf = async (name: string) =>
    (await metrics.read()).split('\n').filter((line) => line.startsWith(`${name}{`));

  it('counts what was refused and what is repeated by the reason', async () => {
    sut.recorded(claim, { state: 'rejected', reason: 'PayloadTooLarge' });
    sut.recorded(claim, { state: 'pending', reason: 'TooManyRequests' });
    sut.recorded(claim, { state: 'delivered', reason: null });
    expect(counted).toEqual(['apns rejected', 'apns retried', 'apns delivered']);
    expect(await linesOf('carillon_push_service_rejected_total')).toEqual([
      'carillon_push_service_rejected_total{platform="apns",reason="PayloadTooLarge"} 1',
    ]);
    expect(await linesOf('carillon_push_service_retried_total')).toEqual([
      'carillon_push_service_retried_total{platform="apns",reason="TooManyRequests"} 1',
    ]);
    expect(await linesOf('carillon_push_service_ended_total')).toEqual(
      expect.arrayContaining([
        'carillon_push_service_ended_total{platform="apns",state="rejected"} 1',
        'carillon_push_service_ended_total{platform="fcm",state="expired"} 0',
      ]),
    );
  });

  it('keeps places for reasons of failures, whatever delivered pushes say', async () => {
    for (let count = 0; count < 100; count += 1) {
      sut.recorded(claim, { state: 'delivered', reason: `apns-unique-id ${count}` });
    }
    sut.recorded(claim, { state: 'rejected', reason: 'PayloadTooLarge' });
    expect(await linesOf('carillon_push_service_rejected_total')).toEqual([
      'carillon_push_service_rejected_total{platform="apns",reason="PayloadTooLarge"} 1',
    ]);
  });
});
