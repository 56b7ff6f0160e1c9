import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApiError, requestErrors } from '#platform/contracts';
import { Database, type Transaction } from '#platform/database';
import {
  type EarlierRequest,
  IdempotencyKeyRepository,
  type IdempotentRequest,
} from './idempotency-key.repository.js';

/** Runs a request once, however often it is repeated under its key. */
@Injectable()
export class IdempotentExecutor {
  constructor(
    private readonly database: Database,
    private readonly keys: IdempotencyKeyRepository,
  ) {}

  /**
   * The answer to an earlier execution of the request; null if the key is unused, and for a request without a key.
   * Rejects with `idempotencyKeyReused` when the key belongs to another request.
   */
  async findResult<Answer>(request: IdempotentRequest | null): Promise<Answer | null> {
    const earlier = request === null ? null : await this.keys.find(request);
    return earlier === null || request === null ? null : answerOf<Answer>(request, earlier);
  }

  /**
   * Runs the work in one transaction with the key of the request, and resolves with its answer; or with the earlier answer
   * of the same request. A failure is not stored: the next repetition runs again. `work` must use only its transaction,
   * because requests that wait for the same key hold connections.
   */
  async run<Answer>(
    request: IdempotentRequest | null,
    work: (transaction: Transaction) => Promise<Answer>,
  ): Promise<Answer> {
    return this.database.transaction((transaction) =>
      request === null ? work(transaction) : this.#underKey(transaction, request, work),
    );
  }

  async #underKey<Answer>(
    transaction: Transaction,
    request: IdempotentRequest,
    work: (transaction: Transaction) => Promise<Answer>,
  ): Promise<Answer> {
    const earlier = await this.keys.claim(transaction, request);
    if (earlier !== null) return answerOf(request, earlier);
    const answer = await work(transaction);
    await this.keys.storeResult(transaction, request, answer);
    return answer;
  }
}

function answerOf<Answer>({ digest }: IdempotentRequest, earlier: EarlierRequest): Answer {
  if (!earlier.digest.equals(digest)) throw new ApiError(requestErrors.idempotencyKeyReused);
  // The digest proves that the answer belongs to the same work.
  return earlier.answer as Answer;
}

/** The SHA-256 of the fields of a request, independent of their order; missing fields stay missing. */
export function requestDigest(endpoint: string, fields: Readonly<Record<string, unknown>>): Buffer {
  const sorted = Object.entries(fields).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([endpoint, Object.fromEntries(sorted)]))
    .digest();
}
