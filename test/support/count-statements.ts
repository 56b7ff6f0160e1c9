import { jest } from '@jest/globals';
import { Client } from 'pg';
import { isBackground, statementsOfGateways } from './statement-counts.js';

/**
 * Counts the SQL statements that are sent during some work by the gateways of `startGateway` and by this process,
 * through Prisma and all pools, including begin and commit of transactions. A gateway caches a sign-in: make the same
 * request once before the counted one.
 */
export async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const before = await statementsOfGateways();
  // A pool sends all statements through its clients.
  const query = jest.spyOn(Client.prototype, 'query');
  try {
    await work();
    const own = query.mock.calls.filter((call) => !isBackground(call)).length;
    return own + (await statementsOfGateways()) - before;
  } finally {
    query.mockRestore();
  }
}
