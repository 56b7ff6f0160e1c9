import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { PushOverview } from '#push';
import { Metrics, startTracing, stopTracing, withSpan } from '#telemetry';
import { eventually } from '../support/eventually.js';
import { OtlpCollector } from '../support/otlp-collector.js';
import { PushSystem } from './push-system.js';
import { PushWorld } from './push.world.js';

// Spans and reports come when it is their time.
jest.setTimeout(20_000);

describe('a notification, observed', () => {
  let collector: OtlpCollector;
  let system: PushSystem;
  let world: PushWorld;
  let token: string;

  beforeAll(async () => {
    collector = await OtlpCollector.start();
    system = await PushSystem.start();
  }, 20_000);

  afterAll(async () => {
    await system.stop();
    await stopTracing();
    await collector.stop();
  });

  beforeEach(async () => {
    // A program that stops ends the tracing of its process, which the last test's worker did.
    await startTracing('test', { endpoint: collector.endpoint, ratio: 1 });
    world = await PushWorld.in(system);
    token = await world.addPhone();
  });

  afterEach(() => system.stopWorkers());

  it('is counted from acceptance to the answer', async () => {
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
      expect(text).toMatch(/carillon_push_breaker_open\{platform="fcm",credential="[^"]+"\} 0\n/);
    });
    expect(await metrics.read()).not.toContain(token);
  });

  it('is seen by whoever looks over the pipeline, with the worker that sent it', async () => {
    const worker = await world.startWorker();
    await world.sendTest();
    const overview = worker.get(PushOverview, { strict: false });
    await eventually(async () => {
      const { workers, outcomes } = await overview.execute();
      expect(workers).toMatchObject([{ pid: process.pid, inFlight: 0, pruneAlarms: [] }]);
      expect(workers[0]?.queues).toContain('push-fcm');
      const sumOf = (outcome: string) =>
        outcomes.reduce((sum, { counts }) => sum + (counts[outcome] ?? 0), 0);
      expect(sumOf('fcm:accepted')).toBeGreaterThan(0);
      expect(sumOf('fcm:delivered')).toBeGreaterThan(0);
    });
  });

  it('is a part of the trace of its request, and each attempt a span', async () => {
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
