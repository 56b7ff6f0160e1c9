import { beforeEach, describe, expect, it } from '@jest/globals';
import { Metrics } from '#platform/telemetry';
import type { ProviderAnswer } from '#push/providers';
import { InFlightPushes } from './in-flight-pushes.js';

const attempt = {
  platform: 'fcm',
  notificationId: '7d0e9a3e-58a4-4b64-9a1a-2c8a8f5d5b0e',
  number: 1,
  traceParent: null,
} as const;

describe(InFlightPushes.name, () => {
  let metrics: Metrics;
  let sut: InFlightPushes;

  beforeEach(() => {
    metrics = new Metrics();
    sut = new InFlightPushes(metrics);
  });

  it('returns the answer of the transport, and counts it', async () => {
    const answer = { kind: 'unanswered', reason: 'deadline' } as const;
    expect(await sut.track(attempt, async () => answer)).toBe(answer);
    expect(await metrics.read()).toContain(
      'carillon_push_provider_seconds_count{platform="fcm",answer="unanswered"} 1\n',
    );
  });

  it('counts pushes in flight', async () => {
    const { promise, resolve } = withResolvers<ProviderAnswer>();
    const sending = sut.track(attempt, () => promise);
    expect(sut.count).toBe(1);
    expect(sut.oldestSince('fcm', 60_000)).toBeGreaterThan(50_000);
    expect(sut.oldestSince('apns', 60_000)).toBeNull();
    expect(await metrics.read()).toContain('carillon_push_in_flight{platform="fcm"} 1\n');
    resolve({ kind: 'accepted' });
    await sending;
    expect(sut.count).toBe(0);
    expect(sut.oldestSince('fcm', 60_000)).toBeNull();
    expect(await metrics.read()).toContain('carillon_push_in_flight{platform="fcm"} 0\n');
  });

  it('removes failed pushes', async () => {
    const failure = sut.track(attempt, () => Promise.reject(new Error('a fault of ours')));
    await expect(failure).rejects.toThrow('a fault of ours');
    expect(sut.count).toBe(0);
  });
});

function withResolvers<Result>() {
  let resolve: (result: Result) => void = () => undefined;
  const promise = new Promise<Result>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
