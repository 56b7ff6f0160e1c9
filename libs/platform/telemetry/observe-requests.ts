import {
  context,
  type Context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Metrics } from './metrics.js';
import { TRACER } from './tracer.js';
import { isTracing } from './tracing.js';

const BUCKET_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** A response, or a request whose client has left. */
interface EndedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  /** Since the arrival of the headers. */
  readonly seconds: number;
}

/** Counts and times the requests by the pattern of their route. Returns the function that receives each ended one. */
export function observeRequests(metrics: Metrics): (ended: EndedRequest) => void {
  const requests = metrics.counter({
    name: 'carillon_http_requests_total',
    help: 'Requests that were answered, or whose client left.',
    labels: ['method', 'route', 'status'],
  });
  const durations = metrics.histogram({
    name: 'carillon_http_request_duration_seconds',
    help: 'From the arrival of the headers to the last byte of the answer.',
    labels: ['method', 'route'],
    bucketSeconds: BUCKET_SECONDS,
  });
  return ({ method, route, status, seconds }) => {
    requests.add({ method, route, status: String(status) });
    durations.observe({ method, route }, seconds);
  };
}

/**
 * Creates a span for every request, with the pattern of its route, as a child of the trace of the request. Does nothing
 * without tracing.
 */
export function traceRequests(fastify: FastifyInstance): void {
  if (!isTracing()) return;
  const tracer = trace.getTracer(TRACER);
  const contexts = new WeakMap<FastifyRequest, Context>();
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { method } = request;
    // Only `traceparent`: other headers of a client would be propagated into every job.
    const above = propagation.extract(ROOT_CONTEXT, {
      traceparent: request.headers['traceparent'],
    });
    // Only the pattern of the path: the path itself may contain secrets.
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
    const below = trace.setSpan(above, span);
    contexts.set(request, below);
    // For the sign-in.
    context.with(below, done);
  });
  // Again in `preHandler`, because reading the body changes the async context.
  fastify.addHook('preHandler', (request, _reply, done) => {
    context.with(contexts.get(request) ?? ROOT_CONTEXT, done);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const { statusCode } = reply.raw;
    const span = trace.getSpan(contexts.get(request) ?? ROOT_CONTEXT);
    span?.setAttribute('http.response.status_code', statusCode);
    if (statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
    // The entry of the request in the log is written in its context.
    context.with(contexts.get(request) ?? ROOT_CONTEXT, done);
  });
}
