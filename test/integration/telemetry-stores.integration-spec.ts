import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { closeRedis, openRedis, type Redis, untilReady } from '#platform/redis';
import { startTracing, stopTracing, withSpan } from '#platform/telemetry';
import { OtlpCollector } from '#test/otlp-collector';
import { createTestDatabase, type TestDatabase, testRedisUrl } from '#test/test-stores';

const ERROR = 2;
const CLIENT = 3;

describe('The spans of calls to the stores', () => {
  let stores: TestDatabase;
  let redis: Redis;
  let collector: OtlpCollector;

  beforeAll(async () => {
    stores = await createTestDatabase();
    redis = openRedis(testRedisUrl(), 'tests', { enableAutoPipelining: true });
    await untilReady(redis, 10_000);
  });
  afterAll(async () => {
    await closeRedis(redis);
    await stores.drop();
  });
  beforeEach(async () => {
    collector = await OtlpCollector.start();
    await startTracing('test', { endpoint: collector.endpoint, ratio: 1 });
  });
  afterEach(async () => {
    await stopTracing();
    await collector.stop();
  });

  /** The spans below that of the work. */
  async function spansOf(work: () => Promise<unknown>) {
    await withSpan('work', {}, work);
    await stopTracing();
    const { spanId } = collector.only('work');
    return collector.spans.filter(({ parentSpanId }) => parentSpanId === spanId);
  }

  it('are those of statements and commits, by name', async () => {
    const spans = await spansOf(async () => {
      await stores.database.query('echo', 'SELECT $1::text AS said', ['hush']);
      await stores.database.transaction((session) => session.query('two', 'SELECT 2'));
    });
    expect(spans.map(({ name }) => name)).toEqual(['echo', 'two', 'COMMIT']);
    expect(spans[0]).toMatchObject({
      kind: CLIENT,
      attributes: { 'db.system.name': 'postgresql', 'db.query.summary': 'echo' },
    });
    expect(collector.bodies.join('')).not.toContain('hush');
  });

  it('are those of commands of Redis', async () => {
    const key = `hush-${randomUUID()}`;
    const spans = await spansOf(() => redis.set(key, 'hush', 'EX', 1));
    expect(spans).toMatchObject([
      {
        name: 'set',
        kind: CLIENT,
        attributes: { 'db.system.name': 'redis', 'db.operation.name': 'set' },
      },
    ]);
    expect(collector.bodies.join('')).not.toContain('hush');
  });

  it('have the code of an error, but not its message', async () => {
    const spans = await spansOf(async () => {
      const text = 'SELECT $1::text::int';
      await stores.database.query('number', text, ['hush']).catch(() => undefined);
      await redis.call('HUSH').catch(() => undefined);
    });
    expect(spans).toMatchObject([
      { name: 'number', status: { code: ERROR }, attributes: { 'error.type': '22P02' } },
      { status: { code: ERROR }, attributes: { 'error.type': 'ReplyError' } },
    ]);
    expect(JSON.stringify(spans)).not.toContain('invalid input');
  });

  it('are not made without a span above them', async () => {
    await stores.database.query('echo', 'SELECT 1');
    await redis.exists('nothing');
    await stopTracing();
    expect(collector.spans).toEqual([]);
  });
});
