import { describe, expect, it } from '@jest/globals';
import { Metrics } from './metrics.js';
import { observeRequests } from './observe-requests.js';

describe(observeRequests.name, () => {
  it('counts and times requests by the pattern of the route', async () => {
    const metrics = new Metrics();
    const ended = observeRequests(metrics);
    const request = { method: 'GET', route: '/users/:id', status: 201, seconds: 0.02 };
    ended(request);
    ended(request);
    ended({ ...request, status: 500 });
    const text = await metrics.read();
    const labels = 'method="GET",route="/users/:id"';
    expect(text).toContain(`carillon_http_requests_total{${labels},status="201"} 2\n`);
    expect(text).toContain(`carillon_http_requests_total{${labels},status="500"} 1\n`);
    const duration = 'carillon_http_request_duration_seconds';
    expect(text).toContain(`${duration}_count{${labels}} 3\n`);
    expect(text).toContain(`${duration}_bucket{le="0.01",${labels}} 0\n`);
    expect(text).toContain(`${duration}_bucket{le="0.025",${labels}} 3\n`);
  });
});
