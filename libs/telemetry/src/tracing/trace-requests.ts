import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { Context } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isTracing } from './tracing.js';
import { TRACER } from './with-span.js';

/**
 * Gives every request to a server a span by its route's pattern, below the trace that the request names.
 * Does nothing without tracing. Call it before the server listens.
 */
export function traceRequests(fastify: FastifyInstance): void {
  if (!isTracing()) return;
  const tracer = trace.getTracer(TRACER);
  const contexts = new WeakMap<FastifyRequest, Context>();
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { method } = request;
    // Nothing else that a client may send along: it would go on into every job.
    const above = propagation.extract(ROOT_CONTEXT, {
      traceparent: request.headers['traceparent'],
    });
    // The path that was asked for may tell what nobody but its owner should know: only the pattern is kept.
    const route = request.routeOptions.url;
    const span = tracer.startSpan(
      route === undefined ? method : `${method} ${route}`,
      {
        kind: SpanKind.SERVER,
        attributes: {
          'http.request.method': method,
          'carillon.request.id': request.id,
          ...(route === undefined ? {} : { 'http.route': route }),
        },
      },
      above,
    );
    contexts.set(request, trace.setSpan(above, span));
    done();
  });
  // Here and not before: a body that is read in between comes in the context of its connection.
  fastify.addHook('preHandler', (request, _reply, done) => {
    context.with(contexts.get(request) ?? ROOT_CONTEXT, done);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const { statusCode } = reply.raw;
    const span = trace.getSpan(contexts.get(request) ?? ROOT_CONTEXT);
    span?.setAttribute('http.response.status_code', statusCode);
    if (statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
    done();
  });
}
