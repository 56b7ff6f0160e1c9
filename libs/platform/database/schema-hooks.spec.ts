import { Logger } from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PeriodicService } from '#platform/core';
import { SchemaHooks } from './schema-hooks.js';

class Service extends PeriodicService {
  protected readonly task = {
    start: jest.fn(),
    stop: () => Promise.resolve(),
  };

  get starts(): number {
    return this.task.start.mock.calls.length;
  }
}

describe(SchemaHooks.name, () => {
  let service: Service;
  let check: jest.Mock<() => Promise<void>>;
  let sut: SchemaHooks;

  beforeEach(() => {
    jest.useFakeTimers();
    Logger.overrideLogger(false);
    service = new Service();
    check = jest.fn<() => Promise<void>>();
    // A class with two tokens is listed twice.
    const providers = [service, null, 'a value', service].map((instance) => ({ instance }));
    sut = new SchemaHooks(
      { getProviders: () => providers as ReturnType<DiscoveryService['getProviders']> },
      { schema: { name: 'schema', check } },
    );
  });
  afterEach(() => sut.onModuleDestroy());

  it('starts periodic services at once with the schema of this release', async () => {
    check.mockResolvedValue();
    sut.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(service.starts).toBe(1);
    expect(check).toHaveBeenCalledTimes(1);
  });

  it('starts them only after the migration', async () => {
    check.mockRejectedValue(new Error('the database lacks the migration 1_first'));
    sut.onApplicationBootstrap();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(service.starts).toBe(0);
    check.mockResolvedValue();
    await jest.advanceTimersByTimeAsync(2000);
    expect(service.starts).toBe(1);
  });

  it('starts none after the end of the program', async () => {
    check.mockImplementation(() => new Promise((resolve) => setTimeout(resolve, 1000)));
    sut.onApplicationBootstrap();
    sut.onModuleDestroy();
    await jest.advanceTimersByTimeAsync(10_000);
    expect(service.starts).toBe(0);
  });
});
