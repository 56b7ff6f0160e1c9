import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '#test/eventually';
import { useDatabase } from '#test/use-fixture';
import { applyMigrations } from './apply-migrations.js';

const stores = useDatabase();

describe(applyMigrations.name, () => {
  it('rejects when the server takes the connection and does not answer', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined));
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const { port } = silent.address() as AddressInfo; // A server on TCP has an address of this shape.
    const address = `postgresql://nobody@127.0.0.1:${port}/none`;
    await expect(applyMigrations(address)).rejects.toThrow('timeout');
    silent.close();
  });

  it('rejects when PostgreSQL ends while it waits for another run', async () => {
    const { url, database } = stores;
    await database.transaction(async (transaction) => {
      await transaction.query('hold_migrations', 'SELECT pg_advisory_xact_lock(7218091101)');
      const waiting = applyMigrations(url);
      // It waits between its statements, and only seldom in one.
      const end = `
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'idle' AND query LIKE '%pg_try_advisory_lock%'`;
      await eventually(async () => {
        expect(await database.query('end_migrations', end)).toHaveLength(1);
      });
      await expect(waiting).rejects.toThrow('not queryable');
    });
  });
});
