import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startTracing, stopTracing, withSpan } from '#platform/telemetry';
import { presenceRequest } from '#presence/rpc';
import { eventually } from '#test/eventually';
import { OtlpCollector } from '#test/otlp-collector';
import { request, ScriptedService, TransportWorld } from '#test/presence-transport-world';

const SERVER = 2;

describe('The spans of presence', () => {
  let collector: OtlpCollector;
  let world: TransportWorld;
  let service: ScriptedService;

  beforeEach(async () => {
    collector = await OtlpCollector.start();
    world = await TransportWorld.create(1);
    service = new ScriptedService('presence');
    await world.serve(service);
  });
  afterEach(async () => {
    await world.end();
    await stopTracing();
    await collector.stop();
  });

  const open = async () => {
    const client = world.open();
    await eventually(() => expect(client.isConnected).toBe(true));
    return client;
  };

  it('continue the trace of the request to the gateway', async () => {
    await startTracing('test', { endpoint: collector.endpoint, ratio: 1 });
    const client = await open();
    await withSpan('request', {}, async () => {
      await client.report(request(7));
      await client.readRealm(request(7));
    });
    await stopTracing();
    const { traceId, spanId } = collector.only('request');
    for (const name of ['presence report', 'presence readRealm']) {
      const made = { traceId, parentSpanId: spanId, kind: SERVER, attributes: {} };
      expect(collector.only(name)).toMatchObject(made);
    }
  });

  it('are not made for requests without a trace', async () => {
    await startTracing('test', { endpoint: collector.endpoint, ratio: 1 });
    const client = await open();
    await client.report(request(7));
    await stopTracing();
    expect(collector.spans).toEqual([]);
    expect(service.received).toEqual([request(7)]);
  });

  it('add nothing that an older presence process refuses', () => {
    const given = { ...request(7), traceParent: '00-0af7651916cd43dd8448eb211c80319c-b7ad-01' };
    expect(presenceRequest.parse(given)).toEqual(request(7));
  });
});
