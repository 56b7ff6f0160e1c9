import { Injectable, Logger } from '@nestjs/common';
import { ApiError } from '#contracts';
import { Database, type Session } from '#database';
import { type EarlierRequest, IdempotencyKeyRepository } from './idempotency-key.repository.js';
import type { KeyedRequest } from './keyed-request.js';

/** What came of some work in a transaction. */
export interface Done<Answer> {
  /** Kept as JSON, for whoever asks again. */
  readonly answer: Answer;
  /**
   * What is left to do when all of it has committed: work that returns at once and that something else makes up for.
   * Its failure is logged and does not reach the caller, for whom the request has succeeded.
   */
  readonly afterCommit?: () => void;
}

/** Carries out a request once, however often it is asked for under its key. */
@Injectable()
export class Once {
  readonly #logger = new Logger(Once.name);

  constructor(
    private readonly database: Database,
    private readonly keys: IdempotencyKeyRepository,
  ) {}

  /**
   * What the request was answered before; null when it was not, and for one without a key. Rejects with
   * `idempotencyKeyReused` where the key is that of another request.
   */
  async recall<Answer>(request: KeyedRequest | null): Promise<Answer | null> {
    const earlier = request === null ? null : await this.keys.recall(request);
    return earlier === null || request === null ? null : answerOf<Answer>(request, earlier);
  }

  /**
   * Does the work in one transaction with the key of the request, and resolves with its answer; or, when it
   * was done meanwhile, with what was answered then. A failure is not kept: the next to ask tries again.
   *
   * Those who wait for another with the same key hold a connection: `work` must need none but its session.
   */
  async execute<Answer>(
    request: KeyedRequest | null,
    work: (session: Session) => Promise<Done<Answer>>,
  ): Promise<Answer> {
    const done = await this.database.transaction((session) =>
      request === null ? work(session) : this.#underKey(session, request, work),
    );
    this.#finish(done);
    return done.answer;
  }

  #finish({ afterCommit }: Done<unknown>): void {
    try {
      afterCommit?.();
    } catch (error) {
      this.#logger.error(`Work after a commit failed: ${String(error)}`);
    }
  }

  async #underKey<Answer>(
    session: Session,
    request: KeyedRequest,
    work: (session: Session) => Promise<Done<Answer>>,
  ): Promise<Done<Answer>> {
    const earlier = await this.keys.claim(session, request);
    if (earlier !== null) {
      return { answer: answerOf(request, earlier) };
    }
    const done = await work(session);
    await this.keys.settle(session, request, done.answer);
    return done;
  }
}

function answerOf<Answer>({ digest }: KeyedRequest, earlier: EarlierRequest): Answer {
  if (!earlier.digest.equals(digest)) throw new ApiError('idempotencyKeyReused');
  // The same request, so an answer of the same work.
  return earlier.answer as Answer;
}
