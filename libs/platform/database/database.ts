import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { PrismaPg } from '@prisma/adapter-pg';
import type { ClientBase, Pool } from 'pg';
import {
  cachedCall,
  errorCode,
  observeFailedStoreCall,
  observeStoreCall,
  withJitter,
} from '#platform/core';
import type { PoolState } from '#platform/telemetry';
import { PrismaClient } from './generated/client.js';
import { type DatabaseOptions, openPool } from './open-pool.js';

/** PostgreSQL has ended the transaction, because others waited for it in a circle. */
const DEADLOCK = '40P01';
const MAX_ATTEMPTS = 3;

/** Before the next attempt, so that the transactions that waited for the rolled-back one get their rows first. */
const DEADLOCK_PAUSE_MS = 20;
const JITTER = { least: 0.5, most: 1.5 };

/**
 * Runs prepared statements: on the pool (`Database`), each in its own transaction, or in one `Transaction`.
 *
 * Repositories follow two rules, so that every write can be part of a larger transaction. Work that is correct only
 * inside a transaction takes it as its first parameter, `transaction: Transaction`. A write that is complete without
 * others takes `session: Session = this.database` as its last parameter.
 */
export interface Session {
  /** Sends one statement, prepared under `name` on each connection unless a pooler is used; resolves with its rows. */
  query<Row extends object>(
    name: string,
    text: string,
    values?: readonly unknown[],
  ): Promise<Row[]>;
  /** Runs `work` in one transaction: a new one on the pool, the same one inside a transaction. */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>;
}

/** One transaction on one connection, from `Database.transaction`. Not usable after its work has ended. */
export class Transaction implements Session {
  readonly #target: StatementTarget;
  readonly #beforeCommit: (() => Promise<void>)[] = [];
  readonly #afterCommit: (() => void | Promise<void>)[] = [];

  constructor(connection: ClientBase, isBehindPooler: boolean) {
    this.#target = { connection, isBehindPooler };
  }

  query<Row extends object>(
    name: string,
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    return send<Row>(this.#target, name, text, values);
  }

  /** Joins this transaction: there are no savepoints, so a rejection has to end all of it. */
  transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return work(this);
  }

  /**
   * Runs `task` when the work of the transaction has ended, immediately before the commit. For statements whose locks
   * must be held as briefly as possible. Its rejection rolls the transaction back.
   */
  beforeCommit(task: () => Promise<void>): void {
    this.#beforeCommit.push(task);
  }

  /**
   * Runs `task` after the commit, and never after a rollback; `Database.transaction` resolves when it has ended. For work
   * whose failure is recovered elsewhere. A failure is logged and does not reject, because the change is already stored.
   */
  afterCommit(task: () => void | Promise<void>): void {
    this.#afterCommit.push(task);
  }

  /** Called by Database before the commit. */
  async runBeforeCommit(): Promise<void> {
    for (const task of this.#beforeCommit) await task();
  }

  /** Called by Database after the commit. Begins the tasks in their order; they do not wait for each other. */
  async runAfterCommit(): Promise<void> {
    const run = async (task: () => void | Promise<void>): Promise<void> => {
      try {
        await task();
      } catch (error) {
        new Logger(Transaction.name).error(`Work after a commit failed: ${String(error)}`);
      }
    };
    await Promise.all(this.#afterCommit.map(run));
  }
}

/** The receiver of statements. */
interface StatementTarget {
  readonly connection: Pool | ClientBase;
  readonly isBehindPooler: boolean;
}

/** pg escapes each element of a list; of 20,000 numbers, this takes 35 ms. */
const toParameter = (value: unknown): unknown =>
  Array.isArray(value) && value.length > 0 && value.every(Number.isSafeInteger)
    ? `{${value.join(',')}}`
    : value;

async function send<Row extends object>(
  { connection, isBehindPooler }: StatementTarget,
  name: string,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const startedAt = performance.now();
  const given = values.map(toParameter);
  const statement = isBehindPooler ? { text, values: given } : { name, text, values: given };
  try {
    const result = await connection.query(statement);
    observeStoreCall('postgresql', name, startedAt);
    // The statement decides the type of its rows; the integration tests of the repositories check it.
    return result.rows as Row[];
  } catch (error) {
    observeFailedStoreCall('postgresql', name, startedAt, error);
    throw error;
  }
}

/**
 * A connection pool for PostgreSQL.
 *
 * `query` and `prisma` are only for `*.repository.ts` files: `query` for all writes, for reads in a transaction and for
 * reads whose round trips are counted, `prisma` for the other reads. Services begin transactions.
 */
@Injectable()
export class Database implements OnApplicationShutdown, Session {
  readonly prisma: PrismaClient;
  /** The connections that it opens at most. */
  readonly poolSize: number;
  readonly #pool: Pool;
  /** A ping must not wait for the statements of a busy pool. */
  readonly #pingPool: Pool;
  /**
   * Whether the server refuses writes: a standby, or transactions that are read-only by a setting. Checks of the same moment
   * share a statement.
   */
  readonly isReadOnly = cachedCall({ forMs: 0, costFactor: 0 }, () => this.#readIsReadOnly());
  readonly #target: StatementTarget;

  constructor(options: DatabaseOptions) {
    this.poolSize = options.poolSize;
    this.#pool = openPool(options, options.poolSize);
    this.#target = { connection: this.#pool, isBehindPooler: options.isBehindPooler === true };
    this.#pingPool = openPool(options, 1);
    this.prisma = new PrismaClient({ adapter: new PrismaPg(this.#pool) });
  }

  query<Row extends object>(
    name: string,
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    return send<Row>(this.#target, name, text, values);
  }

  /**
   * Runs `work` in one transaction on one connection, at the isolation level READ COMMITTED. Commits and resolves with
   * the result of `work`; rolls back when `work` rejects, and rejects with the same error. `work` must use no other
   * connection: with all connections in such transactions, each would wait for another. PostgreSQL ends one transaction of
   * a deadlock: its `work` runs again, up to three times in all, so it must have no effects but those of its statements.
   */
  async transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#run('BEGIN', work);
      } catch (error) {
        if (errorCode(error) !== DEADLOCK || attempt === MAX_ATTEMPTS) throw error;
        await delay(withJitter(DEADLOCK_PAUSE_MS, JITTER));
      }
    }
  }

  /**
   * Runs `work` in a read-only transaction at the isolation level REPEATABLE READ: all its statements see the same
   * committed state.
   */
  snapshot<Result>(work: (snapshot: Session) => Promise<Result>): Promise<Result> {
    return this.#run('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', work);
  }

  async #run<Result>(
    begin: string,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    const client = await this.#pool.connect();
    const release = (error?: Error) => client.release(error);
    const transaction = new Transaction(client, this.#target.isBehindPooler);
    let result: Result;
    try {
      await client.query(begin);
      result = await work(transaction);
      await transaction.runBeforeCommit();
      const startedAt = performance.now();
      const { command } = await client.query('COMMIT');
      observeStoreCall('postgresql', command, startedAt);
      // After a failed statement, PostgreSQL answers COMMIT with ROLLBACK instead of an error.
      if (command === 'ROLLBACK') {
        throw new Error(
          'A transaction was rolled back: its work ignored the error of a statement.',
        );
      }
    } catch (error) {
      // The caller does not wait for the rollback. A connection with a failed rollback is not used again.
      client.query('ROLLBACK').then(() => release(), release);
      throw error;
    }
    release();
    await transaction.runAfterCommit();
    return result;
  }

  /**
   * Loads the query compiler of Prisma, which holds the event loop for about 150 ms: before a program serves, in place of its
   * first use. Needs no connection.
   */
  async loadPrisma(): Promise<void> {
    await this.prisma.$connect();
  }

  /** The connections of this moment. */
  get connections(): PoolState {
    const { totalCount: total, idleCount: idle, waitingCount: waiting } = this.#pool;
    return { total, idle, waiting, size: this.#pool.options.max };
  }

  /** Resolves if the server answers, otherwise rejects. Uses a connection of its own. */
  async ping(): Promise<void> {
    await this.isReadOnly();
  }

  /** Rejects if the server refuses writes. */
  async checkWrites(): Promise<void> {
    if (await this.isReadOnly()) throw new Error('PostgreSQL is read-only');
  }

  async #readIsReadOnly(): Promise<boolean> {
    const { rows } = await this.#pingPool.query<{ readonly isReadOnly: boolean }>(
      `SELECT current_setting('transaction_read_only')::boolean AS "isReadOnly"`,
    );
    return rows[0]?.isReadOnly !== false;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.prisma.$disconnect();
    for (const pool of [this.#pool, this.#pingPool]) if (!pool.ended) await pool.end();
  }
}
