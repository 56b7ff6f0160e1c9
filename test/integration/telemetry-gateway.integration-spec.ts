import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { EventClient } from '#test/event-client';
import { eventually } from '#test/eventually';
import { freePorts } from '#test/free-ports';
import { type CollectedSpan, OtlpCollector } from '#test/otlp-collector';
import { addOrganisation } from '#test/organisation';
import { useGateway } from '#test/start-gateway';
import { useFixture } from '#test/use-fixture';

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('The telemetry of the gateway', () => {
  const collector = useFixture(() => OtlpCollector.start());
  let metricsUrl: string;
  const system = useGateway(async () => {
    const [port = 0] = await freePorts(1);
    metricsUrl = `http://127.0.0.1:${port}`;
    return {
      GATEWAY_METRICS_PORT: String(port),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      REQUEST_LOG: 'all',
      LOG_FORMAT: 'json',
    };
  });

  const metrics = async () => (await fetch(`${metricsUrl}/metrics`)).text();

  it('serves metrics and health on a separate port', async () => {
    // Redis may still be connecting.
    await eventually(async () => {
      expect((await fetch(`${metricsUrl}/health/ready`)).status).toBe(200);
    });
    expect(await metrics()).toContain('process_cpu_seconds_total');
    expect(await metrics()).toContain('carillon_health_ok{part="postgresql",level="failing"} 1\n');
    expect(await metrics()).toContain('carillon_health_ok{part="shutdown",level="failing"} 1\n');
    expect(await metrics()).toMatch(/^carillon_database_pool_size [1-9]/m);
    expect(await metrics()).toMatch(
      /^carillon_database_connections\{state="(?:busy|idle)"\} [1-9]/m,
    );
    expect(await metrics()).toMatch(/^carillon_database_table_bytes\{table="messages"\} [1-9]/m);
  });

  it('is ready with a warning while presence is unreachable', async () => {
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

  it('serves no metrics on the public port', async () => {
    expect((await fetch(`${system.gatewayUrl}/metrics`)).status).toBe(404);
  });

  it('counts requests by route pattern', async () => {
    await system.api('alice').get('/users/1');
    await eventually(async () => {
      expect(await metrics()).toContain(
        'carillon_http_requests_total{method="GET",route="/api/v1/users/:user_id",status="200"} 1\n',
      );
    });
    expect(await metrics()).not.toContain(system.user('alice').email);
  });

  it('reports the state of the pipeline without a worker', async () => {
    await eventually(async () => {
      expect(await metrics()).toContain(
        'carillon_push_queue_jobs{queue="push-apns",state="waiting"}',
      );
    });
  });

  it('shows the answer of a held poll in the trace of the change, and links the poll to it', async () => {
    const { api } = await (await addOrganisation(system)).addPerson();
    const client = await EventClient.register(api, { event_types: ['saved_snippets'] });
    const held = client.take();
    await eventually(async () => {
      expect(await metrics()).toContain('carillon_events_held_polls 1\n');
    });
    await api.post('/saved_snippets', { title: 'title', content: 'content' });
    expect(await held).toHaveLength(1);
    const { traceId, spanId } = await eventually(() =>
      collector.only('POST /api/v1/saved_snippets'),
    );
    expect(await eventually(() => collector.only('answer polls'))).toMatchObject({
      traceId,
      parentSpanId: spanId,
      attributes: { 'carillon.events.polls': 1 },
    });
    const poll = await eventually(() => collector.only('GET /api/v1/events'));
    expect(poll.links).toEqual([{ traceId, spanId }]);
  });

  const statementsBelow = ({ spanId }: CollectedSpan) =>
    collector.spans
      .filter(({ parentSpanId }) => parentSpanId === spanId)
      .filter(({ attributes }) => attributes['db.system.name'] === 'postgresql')
      .map(({ name }) => name);

  it('shows the statements of a request, also that of its sign-in', async () => {
    const { api } = await (await addOrganisation(system)).addPerson();
    await api.get('/saved_snippets');
    const span = await eventually(() => collector.only('GET /api/v1/saved_snippets'));
    expect(statementsBelow(span)).toContain('account_by_key');
  });

  it('puts no key, address or token into a span or the request log', async () => {
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
    expect(statementsBelow(span)).toContain('register_device');
    const log = await eventually(async () => {
      const { dataDir } = system.describe().parts;
      const text = await readFile(path.join(dataDir, 'api-gateway.log'), 'utf8');
      expect(text).toContain('POST /api/v1/users/me/apns_device_token 200');
      return text;
    });
    const entries = log.split('\n').filter((line) => line.includes('"RequestLog"'));
    const entry = entries.find((line) => line.includes('apns_device_token')) ?? '';
    expect(JSON.parse(entry)).toMatchObject({
      level: 'info',
      trace_id: span.traceId,
      span_id: span.spanId,
      request_id: span.attributes['carillon.request.id'],
    });
    for (const secret of [email, key, token]) {
      expect(collector.bodies.join('')).not.toContain(secret);
      expect(entries.join()).not.toContain(secret);
    }
  });
});
