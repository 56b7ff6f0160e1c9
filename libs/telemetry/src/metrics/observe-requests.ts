import type { FastifyInstance } from 'fastify';
import type { Metrics } from './metrics.js';

const BUCKET_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Paths that lead nowhere are anything that anybody thinks of. */
const NO_ROUTE = 'none';

/** Counts and times every answer of a server by its route's pattern. Call it before the server listens. */
export function observeRequests(fastify: FastifyInstance, metrics: Metrics): void {
  const requests = metrics.counter({
    name: 'http_requests_total',
    help: 'Requests that were answered, or whose client left.',
    labels: ['method', 'route', 'status'],
  });
  const durations = metrics.histogram({
    name: 'http_request_duration_seconds',
    help: 'From the arrival of the headers to the last byte of the answer.',
    labels: ['method', 'route'],
    bucketSeconds: BUCKET_SECONDS,
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method } = request;
    const route = request.routeOptions.url ?? NO_ROUTE;
    requests.add({ method, route, status: String(reply.raw.statusCode) });
    durations.observe({ method, route }, reply.elapsedTime / 1000);
    done();
  });
}
