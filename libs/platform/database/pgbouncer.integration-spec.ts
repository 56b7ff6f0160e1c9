import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '#test/eventually';
import { hasPgBouncer, type PgBouncer, startPgBouncer } from '#test/pgbouncer';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';
import { Database } from './database.js';

const describing = hasPgBouncer ? describe : describe.skip;
const SERVERS = 2;
const CALLERS = 60;

describing('PgBouncer in transaction mode (skipped where it is not installed)', () => {
  let stores: TestDatabase;
  let bouncer: PgBouncer;
  let sut: Database;

  beforeAll(async () => {
    stores = await createTestDatabase();
    bouncer = await startPgBouncer(stores.url, SERVERS);
    sut = new Database({
      url: bouncer.url,
      poolSize: 10,
      findsByIndex: true,
      isBehindPooler: true,
    });
    await eventually(() => sut.ping());
  });
  afterAll(async () => {
    await sut?.onApplicationShutdown();
    await bouncer?.stop();
    await stores?.drop();
  });

  const callers = Array.from({ length: CALLERS }, (_, caller) => caller);

  it('runs the same statement on every connection', async () => {
    const text = 'SELECT $1::int + 1 AS next';
    const rows = await Promise.all(
      callers.map((caller) => sut.query<{ next: number }>('next', text, [caller])),
    );
    expect(rows.map(([row]) => row?.next)).toEqual(callers.map((caller) => caller + 1));
    expect(await sut.prisma.realm.count()).toBe(0);
  });

  it('keeps each transaction, with its locks, on one connection of the server', async () => {
    await sut.query('create', 'CREATE TABLE counted (value int)');
    await sut.query('insert', 'INSERT INTO counted VALUES (0)');
    await Promise.all(
      callers.map(() =>
        sut.transaction(async (transaction) => {
          await transaction.query('lock', 'SELECT pg_advisory_xact_lock($1)', [1]);
          const [row] = await transaction.query<{ value: number }>(
            'read',
            'SELECT value FROM counted',
          );
          await transaction.query('write', 'UPDATE counted SET value = $1', [
            (row?.value ?? 0) + 1,
          ]);
        }),
      ),
    );
    expect(await sut.query('result', 'SELECT value FROM counted')).toEqual([{ value: CALLERS }]);
  });
});
