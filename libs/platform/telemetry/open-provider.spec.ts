import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { OtlpCollector } from '#test/otlp-collector';
import { openProvider } from './open-provider.js';

describe(openProvider.name, () => {
  let collector: OtlpCollector;

  beforeEach(async () => {
    collector = await OtlpCollector.start();
  });
  afterEach(() => collector.stop());

  it('describes the process with the attributes of the environment', async () => {
    process.env['OTEL_RESOURCE_ATTRIBUTES'] =
      'deployment.environment.name=staging,service.name=other';
    const sut = openProvider('push-worker', { endpoint: collector.endpoint, ratio: 1 });
    sut.getTracer('test').startSpan('one').end();
    await sut.shutdown();
    const [body = ''] = collector.bodies;
    const attribute = (key: string, value: string) =>
      `{"key":"${key}","value":{"stringValue":"${value}"}}`;
    expect(body).toContain(attribute('deployment.environment.name', 'staging'));
    expect(body).toContain(attribute('service.name', 'push-worker'));
    expect(body).toMatch(/"service\.instance\.id","value":\{"stringValue":"[0-9a-f-]{36}"/);
  });
});
