import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { freePorts } from '../support/free-ports.js';
import { OtlpCollector } from '../support/otlp-collector.js';
import { startGateway } from '../support/start-gateway.js';
import type { System } from '../support/start-system.js';

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('the gateway, observed', () => {
  let system: System;
  let collector: OtlpCollector;
  let metricsUrl: string;

  beforeAll(async () => {
    const [port = 0] = await freePorts(1);
    metricsUrl = `http://127.0.0.1:${port}`;
    collector = await OtlpCollector.start();
    system = await startGateway({
      GATEWAY_METRICS_PORT: String(port),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    });
  }, 30_000);

  afterAll(async () => {
    await system.stop();
    await collector.stop();
  });

  const metrics = async () => (await fetch(`${metricsUrl}/metrics`)).text();

  it('tells its metrics and its health on a port of their own', async () => {
    // Redis may still be connecting.
    await eventually(async () => {
      expect((await fetch(`${metricsUrl}/health/ready`)).status).toBe(200);
    });
    expect(await metrics()).toContain('process_cpu_seconds_total');
  });

  it('warns that presence cannot be reached, and is ready all the same', async () => {
    const answer = await fetch(`${metricsUrl}/health/ready`);
    expect([answer.status, await answer.json()]).toEqual([
      200,
      {
        status: 'ok',
        failing: {},
        warnings: { presence: '0 of 1 processes can be reached' },
      },
    ]);
    expect(await metrics()).toContain('carillon_presence_client_connections 0\n');
    expect(await metrics()).toContain('carillon_presence_client_addresses 1\n');
  });

  it('tells no metrics to the public', async () => {
    expect((await fetch(`${system.gatewayUrl}/metrics`)).status).toBe(404);
  });

  it('counts requests by the pattern of their route', async () => {
    await system.api('alice').get('/users/1');
    await eventually(async () => {
      expect(await metrics()).toContain(
        'http_requests_total{method="GET",route="/api/v1/users/:user_id",status="200"} 1\n',
      );
    });
    expect(await metrics()).not.toContain(system.user('alice').email);
  });

  it('tells what the pipeline holds, though no worker runs', async () => {
    await eventually(async () => {
      expect(await metrics()).toContain(
        'carillon_push_queue_jobs{queue="push-apns",state="waiting"}',
      );
    });
  });

  it('tells no key, no address and no token in a span', async () => {
    const { email, api_key: key } = system.user('alice');
    const token = 'a'.repeat(64);
    await fetch(`${system.gatewayUrl}/api/v1/users/me/apns_device_token`, {
      method: 'POST',
      headers: {
        traceparent: PARENT,
        authorization: `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`,
      },
      body: new URLSearchParams({ token, appid: 'org.example.chat' }),
    });
    const span = await eventually(() => collector.only('POST /api/v1/users/me/apns_device_token'));
    expect(span.traceId).toBe(PARENT.split('-')[1]);
    for (const secret of [email, key, token]) {
      expect(collector.bodies.join('')).not.toContain(secret);
    }
  });
});
