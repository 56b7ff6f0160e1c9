import { describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Database, Session } from '#database';
import type { IdempotencyKeyRepository } from './idempotency-key.repository.js';
import { Once } from './once.js';

const session: Session = { query: () => Promise.resolve([]) };
// Of the two, a request without a key needs nothing but transactions.
const database = {
  transaction: (work: (given: Session) => Promise<unknown>) => work(session),
} as unknown as Database;
const sut = new Once(database, {} as unknown as IdempotencyKeyRepository);

describe(Once.name, () => {
  it('does what is left to do after the commit', async () => {
    const afterCommit = jest.fn();
    expect(await sut.execute(null, () => Promise.resolve({ answer: 5, afterCommit }))).toBe(5);
    expect(afterCommit).toHaveBeenCalledTimes(1);
  });

  it('logs a failure after the commit, and answers as if there were none', async () => {
    const log = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const afterCommit = () => {
      throw new Error('The queues are away');
    };
    expect(await sut.execute(null, () => Promise.resolve({ answer: 5, afterCommit }))).toBe(5);
    expect(log).toHaveBeenCalledWith('Work after a commit failed: Error: The queues are away');
    log.mockRestore();
  });
});
