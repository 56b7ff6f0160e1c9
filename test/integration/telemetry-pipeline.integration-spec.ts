import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Metrics, startTracing, stopTracing, withSpan } from '#platform/telemetry';
import { PipelineReader } from '#push/observability';
import { eventually } from '#test/eventually';
import { OtlpCollector } from '#test/otlp-collector';
import { usePushSystem } from '#test/push-system';
import { PushWorld } from '#test/push-world';
import { useFixture } from '#test/use-fixture';

describe('The telemetry of a notification', () => {
  const collector = useFixture(() => OtlpCollector.start());
  const system = usePushSystem();
  let world: PushWorld;
  let token: string;

  afterAll(async () => {
    await stopTracing();
  });

  beforeEach(async () => {
    // The worker of the previous test has stopped the tracing of this process.
    await startTracing('test', { endpoint: collector.endpoint, ratio: 1 });
    world = await PushWorld.in(system);
    token = await world.addPhone();
  });

  afterEach(() => system.stopWorkers());

  it('counts it from acceptance to the answer', async () => {
    const worker = await world.startWorker();
    await world.sendTest();
    await world.ended('delivered');
    const metrics = worker.get(Metrics, { strict: false });
    const series = 'platform="fcm",kind="test"';
    await eventually(async () => {
      const text = await metrics.read();
      expect(text).toContain(`carillon_push_sent_total{${series}} 1\n`);
      expect(text).toContain(`carillon_push_latency_seconds_count{${series}} 1\n`);
      expect(text).toContain(
        'carillon_push_provider_seconds_count{platform="fcm",answer="accepted"} 1\n',
      );
      expect(text).toContain('carillon_push_in_flight{platform="fcm"} 0\n');
      expect(text).toContain('carillon_push_queue_workers{queue="push-fcm"} 1\n');
      expect(text).toMatch(
        /carillon_push_breaker_state\{platform="fcm",credential="[^"]+",state="closed"\} 1\n/,
      );
    });
    expect(await metrics.read()).not.toContain(token);
  });

  it('shows it in the state of the pipeline, with its worker', async () => {
    const worker = await world.startWorker();
    await world.sendTest();
    const pipeline = worker.get(PipelineReader, { strict: false });
    await eventually(async () => {
      const { workers, outcomes } = await pipeline.read();
      expect(workers).toMatchObject([{ pid: process.pid, inFlight: 0, pruneAlarms: [] }]);
      expect(workers[0]?.queues).toContain('push-fcm');
      const sumOf = (outcome: string) =>
        outcomes.reduce((sum, { counts }) => sum + (counts[outcome] ?? 0), 0);
      expect(sumOf('fcm:accepted')).toBeGreaterThan(0);
      expect(sumOf('fcm:delivered')).toBeGreaterThan(0);
    });
    // The counts may be of the previous test, and the worker of the next one would take this notification.
    await world.ended('delivered');
  });

  it('puts each attempt as a span into the trace of the request', async () => {
    await world.startWorker();
    let attempts = 0;
    world.fcm.answerWith(() =>
      ++attempts === 1 ? { kind: 'unanswered', reason: 'connection' } : { kind: 'accepted' },
    );
    await withSpan('the request', {}, () => world.sendTest());
    await world.ended('delivered');
    const { first, second, request } = await eventually(() => {
      const above = collector.only('the request');
      const pushes = collector.spans.filter(
        ({ name, traceId }) => name === 'push fcm' && traceId === above.traceId,
      );
      const [one, other] = pushes.toSorted((a, b) => attemptOf(a) - attemptOf(b));
      expect(pushes).toHaveLength(2);
      return { first: one, second: other, request: above };
    });
    expect([first?.parentSpanId, second?.parentSpanId]).toEqual([request.spanId, request.spanId]);
    expect(first).toMatchObject({
      attributes: { 'carillon.push.attempt': 1, 'carillon.push.outcome': 'unanswered' },
      status: { code: 2, message: 'connection' },
    });
    expect(second?.attributes).toMatchObject({
      'carillon.push.attempt': 2,
      'carillon.push.outcome': 'accepted',
      'carillon.push.platform': 'fcm',
    });
    expect(collector.bodies.join('')).not.toContain(token);
  });
});

const attemptOf = ({ attributes }: { attributes: Record<string, unknown> }): number =>
  Number(attributes['carillon.push.attempt']);
