import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { currentTraceParent, startTracing, stopTracing, traceRequests, withSpan } from '#telemetry';
import { OtlpCollector } from '../support/otlp-collector.js';

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const [, TRACE_ID, SPAN_ID] = PARENT.split('-');

describe('tracing', () => {
  let collector: OtlpCollector;

  beforeEach(async () => {
    collector = await OtlpCollector.start();
  });

  afterEach(async () => {
    await stopTracing();
    await collector.stop();
  });

  const trace = (ratio = 1) => startTracing('test', { endpoint: collector.endpoint, ratio });

  it('makes nothing while it is off', async () => {
    await startTracing('test', null);
    expect(await withSpan('work', {}, async () => currentTraceParent())).toBeNull();
    await stopTracing();
    expect(collector.bodies).toEqual([]);
  });

  it('sends a span with what it is about, and how the work ended', async () => {
    await trace();
    const result = await withSpan(
      'work',
      { attributes: { attempt: 2 }, kind: 'client' },
      async (span) => {
        span.set({ outcome: 'refused' });
        span.fail('Unregistered');
        return 'done';
      },
    );
    await stopTracing();
    expect(result).toBe('done');
    expect(collector.only('work')).toMatchObject({
      attributes: { attempt: 2, outcome: 'refused' },
      kind: 3,
      status: { code: 2, message: 'Unregistered' },
    });
  });

  it('rejects as the work does, and tells the class of the error but not what it says', async () => {
    await trace();
    const work = () => Promise.reject(new RangeError('token c0ffee'));
    await expect(withSpan('work', {}, work)).rejects.toThrow('c0ffee');
    await stopTracing();
    expect(collector.only('work').status).toEqual({ code: 2, message: 'RangeError' });
    expect(collector.bodies.join('')).not.toContain('c0ffee');
  });

  it('puts a span below another one of the process', async () => {
    await trace();
    await withSpan('outer', {}, () => withSpan('inner', {}, async () => undefined));
    await stopTracing();
    const outer = collector.only('outer');
    expect(collector.only('inner')).toMatchObject({
      traceId: outer.traceId,
      parentSpanId: outer.spanId,
      links: [],
    });
  });

  it('puts a span below one that was kept, and links what the process is at', async () => {
    await trace();
    await withSpan('job', {}, () => withSpan('send', { parent: PARENT }, async () => undefined));
    await stopTracing();
    const { traceId, spanId } = collector.only('job');
    expect(collector.only('send')).toMatchObject({
      traceId: TRACE_ID,
      parentSpanId: SPAN_ID,
      links: [{ traceId, spanId }],
    });
  });

  it('stays in the present span when what was kept is none', async () => {
    await trace();
    await withSpan('job', {}, () => withSpan('send', { parent: null }, async () => undefined));
    await stopTracing();
    expect(collector.only('send').traceId).toBe(collector.only('job').traceId);
  });

  it('hands on what a later process needs', async () => {
    await trace();
    const kept = await withSpan('accept', {}, async () => currentTraceParent());
    await withSpan('send', { parent: kept }, async () => undefined);
    await stopTracing();
    const { traceId, spanId } = collector.only('accept');
    expect(kept).toBe(`00-${traceId}-${spanId}-01`);
    expect(collector.only('send')).toMatchObject({ traceId, parentSpanId: spanId });
  });

  it('has a process after the other agree that a trace is not kept', async () => {
    await trace(0);
    const kept = await withSpan('accept', {}, async () => currentTraceParent());
    await withSpan('send', { parent: kept }, async () => undefined);
    await stopTracing();
    expect(kept).toMatch(/-00$/);
    expect(collector.spans).toEqual([]);
  });

  it('survives a collector that is away', async () => {
    await trace();
    await collector.stop();
    expect(await withSpan('work', {}, async () => 'done')).toBe('done');
    await stopTracing();
    collector = await OtlpCollector.start();
  });

  describe(traceRequests.name, () => {
    let server: FastifyInstance;
    let address: string;
    let seen: string | null;

    const serve = async () => {
      server = fastify();
      traceRequests(server);
      server.post('/users/:id', async () => {
        await Promise.resolve();
        seen = currentTraceParent();
        return 'done';
      });
      address = await server.listen();
    };

    afterEach(() => server.close());

    const post = async (headers: Record<string, string> = {}) => {
      const reply = await fetch(`${address}/users/7?key=secret`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{"text":"hush"}',
      });
      expect(await reply.text()).toBe('done');
      // An answer is counted as ended after its last byte was sent.
      await server.close();
    };

    it('gives a request a span by its route, which the route is in', async () => {
      await trace();
      await serve();
      await post();
      await stopTracing();
      const span = collector.only('POST /users/:id');
      expect(span).toMatchObject({
        kind: 2,
        attributes: { 'http.route': '/users/:id', 'http.response.status_code': 200 },
      });
      expect(seen).toBe(`00-${span.traceId}-${span.spanId}-01`);
      expect(collector.bodies.join('')).not.toMatch(/secret|hush/);
    });

    it('goes on with the trace that the request names, and takes nothing else from it', async () => {
      await trace();
      await serve();
      await post({ traceparent: PARENT, tracestate: 'vendor=x', baggage: 'who=me' });
      await stopTracing();
      const { traceId, parentSpanId } = collector.only('POST /users/:id');
      expect([traceId, parentSpanId]).toEqual([TRACE_ID, SPAN_ID]);
      expect(collector.bodies.join('')).not.toMatch(/vendor|who/);
    });

    it('does not let who asks decide that a trace is kept', async () => {
      await trace(0);
      await serve();
      await post({ traceparent: PARENT });
      await stopTracing();
      expect(collector.spans).toEqual([]);
    });

    it('is not there without tracing', async () => {
      await serve();
      await post({ traceparent: PARENT });
      expect(seen).toBeNull();
    });
  });
});
