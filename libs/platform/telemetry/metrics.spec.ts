import { describe, expect, it, jest } from '@jest/globals';
import { Distribution, observeStoreCall, VERSION } from '#platform/core';
import { Metrics } from './metrics.js';

describe(Metrics.name, () => {
  it('counts by labels', async () => {
    const sut = new Metrics();
    const sent = sut.counter({ name: 'sent_total', help: 'Sent.', labels: ['platform'] });
    sent.add({ platform: 'apns' });
    sent.add({ platform: 'apns' }, 2);
    sent.add({ platform: 'fcm' });
    const text = await sut.read();
    expect(text).toContain('sent_total{platform="apns"} 3\n');
    expect(text).toContain('sent_total{platform="fcm"} 1\n');
  });

  it('counts durations in buckets', async () => {
    const sut = new Metrics();
    const took = sut.histogram({
      name: 'took_seconds',
      help: 'Took.',
      labels: ['what'],
      bucketSeconds: [0.1, 1],
    });
    for (const seconds of [0.05, 0.5, 5]) took.observe({ what: 'all' }, seconds);
    const text = await sut.read();
    expect(text).toContain('took_seconds_bucket{le="0.1",what="all"} 1\n');
    expect(text).toContain('took_seconds_bucket{le="1",what="all"} 2\n');
    expect(text).toContain('took_seconds_count{what="all"} 3\n');
  });

  it('reads external counters at each scrape', async () => {
    const sut = new Metrics();
    const counted = { apns: 1, fcm: 5 };
    sut.tally({ name: 'sent_total', help: 'Sent.', labels: ['platform'] }, () =>
      Object.entries(counted).map(([platform, value]) => ({ labels: { platform }, value })),
    );
    expect(await sut.read()).toContain('sent_total{platform="apns"} 1\n');
    counted.apns = 3;
    const text = await sut.read();
    expect(text).toContain('# TYPE sent_total counter\n');
    expect(text).toContain('sent_total{platform="apns"} 3\n');
    expect(text).toContain('sent_total{platform="fcm"} 5\n');
  });

  it('publishes a distribution with the other metrics', async () => {
    const sut = new Metrics();
    const sizes = new Distribution([1, 10]);
    sut.distribution({ name: 'size', help: 'Sizes.' }, sizes);
    sizes.observe(7);
    const text = await sut.read();
    expect(text).toContain(
      '\n# HELP size Sizes.\n# TYPE size histogram\nsize_bucket{le="1"} 0\nsize_bucket{le="10"} 1\n',
    );
    expect(text.endsWith('size_sum 7\nsize_count 1\n')).toBe(true);
  });

  it('exports the calls to the stores, which all libs count', async () => {
    observeStoreCall('redis', 'get', performance.now());
    const text = await new Metrics().read();
    expect(text).toMatch(/^carillon_store_call_seconds_bucket\{store="redis",le="10"\} [1-9]/m);
    expect(text).toMatch(/^carillon_store_call_seconds_count\{store="redis"\} [1-9]/m);
    expect(text).toContain('carillon_store_call_seconds_count{store="postgresql"} ');
  });

  it('reads a gauge at each scrape, and drops vanished samples', async () => {
    const sut = new Metrics();
    let queues = ['one', 'two'];
    sut.gauge({ name: 'depth', help: 'Depth.', labels: ['queue'] }, () =>
      queues.map((queue) => ({ labels: { queue }, value: 7 })),
    );
    expect(await sut.read()).toContain('depth{queue="two"} 7\n');
    queues = ['one'];
    const text = await sut.read();
    expect(text).toContain('depth{queue="one"} 7\n');
    expect(text).not.toContain('queue="two"');
  });

  it('omits only a gauge that fails', async () => {
    const sut = new Metrics();
    const fails = () => Promise.reject(new Error('the store is down'));
    sut.gauge({ name: 'with_labels', help: 'Fails.', labels: ['queue'] }, fails);
    sut.gauge({ name: 'without_labels', help: 'Fails.', labels: [] }, fails);
    sut.gauge({ name: 'here', help: 'Here.', labels: [] }, () => [{ labels: {}, value: 1 }]);
    const text = await sut.read();
    expect(text).toContain('here 1\n');
    expect(text).not.toMatch(/^(with|without)_labels[ {]/m);
  });

  it('omits a gauge that takes too long', async () => {
    const sut = new Metrics();
    sut.gauge(
      { name: 'hanging', help: 'Hangs.', labels: ['queue'] },
      () => new Promise(() => undefined),
    );
    sut.gauge({ name: 'here', help: 'Here.', labels: [] }, () => [{ labels: {}, value: 1 }]);
    jest.useFakeTimers({ doNotFake: ['hrtime', 'performance', 'setImmediate'] });
    try {
      const reading = sut.read();
      await jest.advanceTimersByTimeAsync(6000);
      const text = await reading;
      expect(text).toContain('here 1\n');
      expect(text).not.toContain('hanging{');
    } finally {
      jest.useRealTimers();
    }
  });

  it('publishes the versions of the program and of Node', async () => {
    expect(await new Metrics().read()).toContain(
      `carillon_build_info{version="${VERSION}",node="${process.versions.node}"} 1\n`,
    );
  });

  it('publishes the metrics of the process', async () => {
    const sut = new Metrics();
    expect(await sut.read()).toContain('process_cpu_seconds_total');
    // A second reader must not have it watched twice.
    expect(await sut.read()).toContain('nodejs_eventloop_lag_seconds');
  });

  it('rejects a duplicate name', () => {
    const sut = new Metrics();
    const add = () => sut.counter({ name: 'sent_total', help: 'Sent.', labels: [] });
    add();
    expect(add).toThrow('sent_total');
    expect(() => {
      sut.distribution({ name: 'sent_total', help: 'Sent.' }, new Distribution([]));
    }).toThrow('sent_total');
  });
});
