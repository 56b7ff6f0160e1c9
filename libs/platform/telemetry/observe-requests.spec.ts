import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance } from 'fastify';
import { Metrics } from './metrics.js';
import { observeRequests } from './observe-requests.js';

describe(observeRequests.name, () => {
  let metrics: Metrics;
  let server: FastifyInstance;
  let address: string;

  const ask = async (path: string) => (await fetch(`${address}${path}`)).text();

  /** An answer is counted after its last byte has left: a server that has closed has counted all. */
  const counted = async () => {
    await server.close();
    return metrics.read();
  };

  beforeEach(async () => {
    metrics = new Metrics();
    server = fastify();
    observeRequests(server, metrics);
    server.get('/users/:id', (_request, reply) => reply.status(201).send('made'));
    server.get('/broken', () => Promise.reject(new Error('broken')));
    address = await server.listen();
  });

  afterEach(() => server.close());

  it('counts by the pattern of the route', async () => {
    await ask('/users/1?key=secret');
    await ask('/users/2');
    await ask('/broken');
    const text = await counted();
    expect(text).toContain(
      'carillon_http_requests_total{method="GET",route="/users/:id",status="201"} 2\n',
    );
    expect(text).toContain(
      'carillon_http_requests_total{method="GET",route="/broken",status="500"} 1\n',
    );
    expect(text).toContain(
      'carillon_http_request_duration_seconds_count{method="GET",route="/users/:id"} 2\n',
    );
    expect(text).not.toContain('secret');
  });

  it('counts unknown paths together', async () => {
    await ask('/nowhere');
    await ask('/elsewhere');
    expect(await counted()).toContain(
      'carillon_http_requests_total{method="GET",route="none",status="404"} 2\n',
    );
  });
});
