import { describe, expect, it } from '@jest/globals';
import { OtlpCollector } from '#test/otlp-collector';
import { Phone } from '#test/phone';
import { useFixture } from '#test/use-fixture';
import { useSystem } from '#test/use-system';

const SERVER = 2;
const CLIENT = 3;

describe('Tracing', () => {
  const collector = useFixture(() => OtlpCollector.start());
  const system = useSystem(() => ({
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint },
  }));

  it('covers a notification from the request to the response of the provider', async () => {
    const phone = await Phone.android().register(system.api('alice'));
    const reply = await system
      .api('alice')
      .post('/mobile_push/test_notification', { token: phone.token });
    expect(reply.status).toBe(200);
    // A program exports its remaining spans when it stops.
    await system.stopPrograms();
    const request = collector.only('POST /api/v1/mobile_push/test_notification');
    const push = collector.only('push fcm');
    expect(request.kind).toBe(SERVER);
    expect(push).toMatchObject({
      traceId: request.traceId,
      parentSpanId: request.spanId,
      kind: CLIENT,
      attributes: {
        'carillon.push.platform': 'fcm',
        'carillon.push.attempt': 1,
        'carillon.push.outcome': 'accepted',
        'carillon.push.notification.id': expect.any(String),
      },
    });
    const jobs = collector.spans.filter(({ traceId }) => traceId === request.traceId);
    expect(jobs.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['add push-fcm.notification.deliver', 'process push-fcm']),
    );
    expect(collector.bodies.join('')).not.toContain(phone.token);
  });
});
