import { beforeEach, describe, expect, it } from '@jest/globals';
import type { CircuitBreakers } from '#push/breakers';
import type { Retry } from '#push/notifications';
import type { PushTransport } from '#push/providers';
import { DeliveryRounds } from './delivery-rounds.js';
import type { Attempted, DeliveryProgress, JobDeliveries } from './ledger.js';
import { PlatformPools } from './platform-pools.js';

const NOW = 1_700_000_000_000;

type Progress = DeliveryProgress<string>;
const delivered = (next: string | null = null): Progress => ({ state: 'delivered', next });
const pending = (behindForMs: number | null): Progress => ({
  state: 'pending',
  retryAt: NOW + 50,
  behindForMs,
});

describe(DeliveryRounds.name, () => {
  let openUntil: number | null;
  let progressOf: (key: string, attempts: number) => Progress;
  let attempts: string[];
  let retries: readonly Retry<string>[];
  let left: readonly Retry<string>[];
  let published: readonly Attempted<string>[];
  let pools: PlatformPools;

  beforeEach(() => {
    openUntil = null;
    progressOf = () => delivered();
    attempts = [];
    retries = [];
    left = [];
    published = [];
    pools = new PlatformPools({ fcm: {} as PushTransport }, 8);
  });

  const deliver = (...keys: string[]) => {
    const breakers: Pick<CircuitBreakers, 'openUntil'> = { openUntil: () => openUntil };
    const sut = new DeliveryRounds(pools, breakers as CircuitBreakers, () => NOW);
    return sut.deliver<string, null, JobDeliveries<string>>(
      {
        claim: async (claimed) => claimed.map((key) => ({ key, claim: null })),
        attempt: async (_transport, { key }) => {
          attempts.push(key);
          return progressOf(key, attempts.filter((one) => one === key).length);
        },
        keyText: (key) => key,
        requeue: async (given, { job }) => {
          if (job === null) left = given;
          else retries = given;
        },
        publish: (_job, given) => void (published = given),
      },
      { queue: 'push-fcm', keys },
    );
  };

  it('lets all wait for the circuit breaker of the platform, in one job', async () => {
    openUntil = NOW + 5000;
    expect(await deliver('a', 'b')).toEqual({ pauseUntil: openUntil });
    expect(attempts).toEqual([]);
    expect(retries.map(({ key }) => key)).toEqual(['a', 'b']);
    const [at, ...others] = new Set(retries.map((retry) => retry.at));
    expect(others).toEqual([]);
    expect(at).toBeGreaterThanOrEqual(openUntil);
    expect(published.map(({ key, progress }) => [key, progress.state])).toEqual([
      ['a', 'pending'],
      ['b', 'pending'],
    ]);
  });

  it('leaves a job to another worker at its shutdown', async () => {
    pools.onModuleDestroy();
    expect(await deliver('a')).toEqual({ retryAt: NOW });
    expect(attempts).toEqual([]);
  });

  it('attempts one behind another again after that has ended', async () => {
    progressOf = (key, count) => (key === 'b' && count === 1 ? pending(0) : delivered());
    expect(await deliver('a', 'b')).toEqual({});
    expect(attempts).toEqual(['a', 'b', 'b']);
    expect(retries).toEqual([]);
  });

  it('retries one behind another later the longer it has waited', async () => {
    progressOf = () => pending(2000);
    await deliver('a');
    expect(attempts).toEqual(['a']);
    expect(retries).toEqual([{ key: 'a', at: NOW + 1000 }]);
  });

  it('leaves those that waited behind to another worker at its shutdown', async () => {
    progressOf = (key) => {
      pools.onModuleDestroy();
      return delivered(`${key}+`);
    };
    await deliver('a');
    expect(attempts).toEqual(['a']);
    expect(left).toEqual([{ key: 'a+', at: NOW }]);
  });

  it('leaves one that waits for a slot at the shutdown to another worker', async () => {
    const { semaphore } = pools.of('fcm');
    const shutDown = async () => {
      const slots = await semaphore.acquire('urgent', semaphore.sizeOf('urgent'));
      setImmediate(() => {
        pools.onModuleDestroy();
        slots.releaseAll();
      });
    };
    progressOf = (key) => {
      void shutDown();
      return delivered(`${key}+`);
    };
    await deliver('a');
    expect(attempts).toEqual(['a']);
    expect(left).toEqual([{ key: 'a+', at: NOW }]);
  });

  it('retries one that waited behind when its own attempt has failed', async () => {
    progressOf = (key) => (key === 'a' ? delivered('b') : pending(null));
    await deliver('a');
    expect(attempts).toEqual(['a', 'b']);
    expect(left).toEqual([{ key: 'b', at: NOW + 50 }]);
  });

  it('sends one that waits no longer for an unfinished one, and retries that', async () => {
    progressOf = (key) =>
      key === 'a'
        ? { state: 'pending', retryAt: NOW + 50, behindForMs: null, next: 'b' }
        : delivered();
    await deliver('a');
    expect(attempts).toEqual(['a', 'b']);
    expect(retries).toEqual([{ key: 'a', at: NOW + 50 }]);
    expect(left).toEqual([]);
  });

  it('sends those that waited behind, and leaves the rest of many to another job', async () => {
    progressOf = (key) => delivered(`${key}+`);
    await deliver('a');
    expect(attempts).toHaveLength(101);
    expect(left).toEqual([{ key: `a${'+'.repeat(101)}`, at: NOW }]);
  });
});
