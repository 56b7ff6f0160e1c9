import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { createLogger } from '#platform/core';
import {
  currentTraceParent,
  startTracing,
  stopTracing,
  traceRequests,
  withSpan,
} from '#platform/telemetry';
import { OtlpCollector } from '#test/otlp-collector';

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const [, TRACE_ID, SPAN_ID] = PARENT.split('-');

describe('Tracing', () => {
  let collector: OtlpCollector;

  beforeEach(async () => {
    collector = await OtlpCollector.start();
  });

  afterEach(async () => {
    await stopTracing();
    await collector.stop();
  });

  const trace = (ratio = 1) => startTracing('test', { endpoint: collector.endpoint, ratio });

  it('creates no spans while it is disabled', async () => {
    await startTracing('test', null);
    expect(await withSpan('work', {}, async () => currentTraceParent())).toBeNull();
    await stopTracing();
    expect(collector.bodies).toEqual([]);
  });

  it('exports a span with its attributes and the outcome of the work', async () => {
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

  it('adds the ids of the span to the log, until tracing ends', async () => {
    await trace();
    const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
    const logger = createLogger('test', { level: 'log', format: 'json' });
    const span = await withSpan('work', {}, async () => {
      logger.log('within');
      return currentTraceParent();
    });
    logger.log('outside');
    await stopTracing();
    const [within, outside] = write.mock.calls.map(([text]) => JSON.parse(String(text)));
    write.mockRestore();
    expect(span).toBe(`00-${within.trace_id}-${within.span_id}-01`);
    expect(outside).not.toHaveProperty('trace_id');
  });

  it('rejects with the error of the work, and records its class but not its message', async () => {
    await trace();
    const work = () => Promise.reject(new RangeError('token c0ffee'));
    await expect(withSpan('work', {}, work)).rejects.toThrow('c0ffee');
    await stopTracing();
    expect(collector.only('work').status).toEqual({ code: 2, message: 'RangeError' });
    expect(collector.bodies.join('')).not.toContain('c0ffee');
  });

  it('makes a nested span the child of the active one', async () => {
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

  it('makes a span the child of a stored context, and links the active span', async () => {
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

  it('stays in the active span for an invalid stored context', async () => {
    await trace();
    await withSpan('job', {}, () => withSpan('send', { parent: null }, async () => undefined));
    await stopTracing();
    expect(collector.only('send').traceId).toBe(collector.only('job').traceId);
  });

  it('provides the context for a later process', async () => {
    await trace();
    const kept = await withSpan('accept', {}, async () => currentTraceParent());
    await withSpan('send', { parent: kept }, async () => undefined);
    await stopTracing();
    const { traceId, spanId } = collector.only('accept');
    expect(kept).toBe(`00-${traceId}-${spanId}-01`);
    expect(collector.only('send')).toMatchObject({ traceId, parentSpanId: spanId });
  });

  it('keeps a trace unsampled in later processes', async () => {
    await trace(0);
    const kept = await withSpan('accept', {}, async () => currentTraceParent());
    await withSpan('send', { parent: kept }, async () => undefined);
    await stopTracing();
    expect(kept).toMatch(/-00$/);
    expect(collector.spans).toEqual([]);
  });

  it('ignores an unreachable collector', async () => {
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
      // A request ends after the last byte of its response.
      await server.close();
    };

    it('names the span of a request after its route, and is active in the handler', async () => {
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

    it('continues the trace of the request, and takes nothing else from its headers', async () => {
      await trace();
      await serve();
      await post({ traceparent: PARENT, tracestate: 'vendor=x', baggage: 'who=me' });
      await stopTracing();
      const { traceId, parentSpanId } = collector.only('POST /users/:id');
      expect([traceId, parentSpanId]).toEqual([TRACE_ID, SPAN_ID]);
      expect(collector.bodies.join('')).not.toMatch(/vendor|who/);
    });

    it('does not let the client decide on sampling', async () => {
      await trace(0);
      await serve();
      await post({ traceparent: PARENT });
      await stopTracing();
      expect(collector.spans).toEqual([]);
    });

    it('is not installed without tracing', async () => {
      await serve();
      await post({ traceparent: PARENT });
      expect(seen).toBeNull();
    });
  });
});
