import { jest } from '@jest/globals';
import { Client } from 'pg';
import { isSetUp, statementsOfGateways } from './statement-counts.js';

/**
 * How many statements are sent to PostgreSQL while some work is done: by the gateways of `startGateway`
 * and by this process, those of Prisma and of every pool, the beginning and end of transactions included.
 *
 * A sign-in is looked up once and then remembered: make the same request before the one that is counted.
 */
export async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const before = await statementsOfGateways();
  // A pool sends nothing but by its clients.
  const query = jest.spyOn(Client.prototype, 'query');
  try {
    await work();
    const own = query.mock.calls.filter((call) => !isSetUp(call)).length;
    return own + (await statementsOfGateways()) - before;
  } finally {
    query.mockRestore();
  }
}
