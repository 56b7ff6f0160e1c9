import { afterEach, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { eventually } from '#test/eventually';
import { createTestDatabase } from '#test/test-stores';
import { Database } from './database.js';

afterEach(() => {
  jest.restoreAllMocks();
});

it('logs idle connections that are lost together once', async () => {
  const stores = await createTestDatabase();
  const sut = new Database({ url: stores.url, poolSize: 3 });
  const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
  const ask = () =>
    sut.query<{ pid: number }>('idle_pid', 'SELECT pg_backend_pid() AS pid, pg_sleep(0.2)');
  // Each of the overlapping statements has a connection of its own.
  const found = await Promise.all([ask(), ask(), ask()]);
  const pids = found.map(([row]) => row?.pid);
  expect(new Set(pids).size).toBe(3);
  await stores.database.query(
    'end',
    'SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) pid',
    [pids],
  );
  await eventually(() => expect(sut.connections.total).toBe(0));
  expect(warn.mock.calls).toEqual([
    [expect.stringMatching(/^Lost 1 idle connection since the last entry: /)],
  ]);
  await sut.onApplicationShutdown();
  await stores.drop();
});
