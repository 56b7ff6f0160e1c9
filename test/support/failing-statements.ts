import { jest } from '@jest/globals';
import { Client } from 'pg';

/**
 * Does some work while every statement fails that this process sends after the first transaction has committed.
 * The gateway of `startGateway` is in this process.
 */
export async function failAfterCommit<Result>(work: () => Promise<Result>): Promise<Result> {
  const original = Client.prototype.query as (...args: unknown[]) => unknown;
  let hasCommitted = false;
  const spy = jest.spyOn(Client.prototype, 'query').mockImplementation(function (
    this: Client,
    ...args: unknown[]
  ) {
    if (hasCommitted) return Promise.reject(new Error('Connection terminated unexpectedly'));
    hasCommitted = args[0] === 'COMMIT';
    return original.apply(this, args) as ReturnType<Client['query']>;
  } as never);
  try {
    return await work();
  } finally {
    spy.mockRestore();
  }
}
