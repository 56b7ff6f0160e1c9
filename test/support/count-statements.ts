import { jest } from '@jest/globals';
import { Client } from 'pg';

/**
 * How many statements this process sends to PostgreSQL while some work is done: those of Prisma and of
 * every pool, and the beginning and end of transactions. The gateway of `startGateway` is in this process.
 *
 * A sign-in is looked up once and then remembered: make the same request before the one that is counted.
 */
export async function countStatements(work: () => Promise<unknown>): Promise<number> {
  // A pool sends nothing but by its clients.
  const query = jest.spyOn(Client.prototype, 'query');
  try {
    await work();
    return query.mock.calls.length;
  } finally {
    query.mockRestore();
  }
}
