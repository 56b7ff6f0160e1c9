import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { PushActivityStore } from '#push/observability';
import { UnconfiguredTransport } from '#push/providers';
import { RecordingTransport } from '#test/recording-transport';
import type { PushTransports } from './platform-pools.js';
import { ConfiguredProviderRecorder } from './configured-provider-recorder.js';

describe(ConfiguredProviderRecorder.name, () => {
  let records: number;
  let failure: Error | null;

  const start = (transports: PushTransports): ConfiguredProviderRecorder => {
    const store: Pick<PushActivityStore, 'noteProvider'> = {
      noteProvider: async () => {
        records += 1;
        if (failure !== null) throw failure;
      },
    };
    // The other methods are not used.
    const sut = new ConfiguredProviderRecorder(store as PushActivityStore, transports);
    sut.onApplicationBootstrap();
    return sut;
  };

  beforeEach(() => {
    jest.useFakeTimers();
    records = 0;
    failure = null;
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it.each([
    ['of both providers', { apns: new RecordingTransport(), fcm: new RecordingTransport() }],
    ['of one', { apns: new UnconfiguredTransport(), fcm: new RecordingTransport() }],
  ])('repeats the record of a worker with credentials %s until it stops', async (_, transports) => {
    const sut = start(transports);
    expect(records).toBe(1);
    await jest.advanceTimersByTimeAsync(60_000);
    const repeated = records;
    expect(repeated).toBeGreaterThanOrEqual(5);
    await sut.onModuleDestroy();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(records).toBe(repeated);
  });

  it.each<[string, PushTransports]>([
    ['without credentials', { apns: new UnconfiguredTransport() }],
    ['without queues of a provider', {}],
  ])('records nothing %s', async (_, transports) => {
    start(transports);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(records).toBe(0);
  });

  it('continues after a failure of Redis', async () => {
    failure = new Error('Connection is closed.');
    start({ fcm: new RecordingTransport() });
    await jest.advanceTimersByTimeAsync(30_000);
    expect(records).toBeGreaterThanOrEqual(3);
  });
});
