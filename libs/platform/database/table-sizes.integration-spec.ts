import { describe, expect, it } from '@jest/globals';
import { useDatabase } from '#test/use-fixture';
import { TableSizesRepository } from './table-sizes.repository.js';

describe(TableSizesRepository.name, () => {
  const stores = useDatabase();

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
