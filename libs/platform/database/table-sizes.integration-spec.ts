import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';
import { TableSizesRepository } from './table-sizes.repository.js';

describe(TableSizesRepository.name, () => {
  let stores: TestDatabase;

  beforeAll(async () => {
    stores = await createTestDatabase();
  });
  afterAll(() => stores.drop());

  it('reads the rows and the bytes of every table', async () => {
    const { database } = stores;
    const sut = new TableSizesRepository(database);
    const sizeOf = async (name: string) => (await sut.read()).find(({ table }) => table === name);
    const empty = await sizeOf('outbox');
    expect(empty?.rows).toBe(0);
    await database.prisma.outboxEntry.createMany({
      data: Array.from({ length: 500 }, () => ({
        topic: 'test',
        payload: { text: 'long enough' },
      })),
    });
    await database.query('analyze', 'ANALYZE outbox');
    const filled = await sizeOf('outbox');
    expect(filled?.rows).toBe(500);
    expect(filled?.bytes).toBeGreaterThan(Number(empty?.bytes));
    expect((await sut.read()).map(({ table }) => table)).toEqual(
      expect.arrayContaining(['messages', 'push_notifications', 'push_deliveries', 'events']),
    );
  });
});
