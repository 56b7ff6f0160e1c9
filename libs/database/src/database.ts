import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { PrismaPg } from '@prisma/adapter-pg';
import { type ClientBase, Pool, type QueryResultRow, TypeOverrides, types } from 'pg';
import { PrismaClient } from './generated/client.js';

/** The session limits every connection gets, so that no statement can hang a program. */
const STATEMENT_TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_MS = 5_000;

/** Of a server that says nothing at all any more, as when its machine is gone. Later than it gives up by itself. */
const ANSWER_TIMEOUT_MS = 20_000;

/**
 * Plans of prepared statements are kept by a connection. One that was made while a table was nearly empty reads all
 * of it, and goes on to do so when it has grown a thousandfold a second later. Without sequential scans there is no
 * such plan; and what has no other is not to be compiled for its seeming cost. Where any plan is by index it need not be
 * made for the values of a call: left to choose, PostgreSQL plans a statement anew each time that it is about one row,
 * which takes four times as long as carrying it out.
 */
const ONLY_INDEXES: readonly Setting[] = [
  ['enable_seqscan', 'off'],
  ['jit', 'off'],
  ['plan_cache_mode', 'force_generic_plan'],
];

/** A bigint arrives as a number: whatever the schema counts in one stays below 2^53. */
const NUMBERS = new TypeOverrides();
NUMBERS.setTypeParser(types.builtins.INT8, Number);

type Setting = readonly [name: string, value: string];

/**
 * Gives a new connection its settings, before anything else uses it. They are sent as a statement: PgBouncer refuses
 * settings that come with the start of a connection.
 */
async function setUp(client: ClientBase, more: readonly Setting[]): Promise<void> {
  const settings: Setting[] = [['statement_timeout', String(STATEMENT_TIMEOUT_MS)], ...more];
  const calls = settings.map(
    (_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, false)`,
  );
  await client.query(`SELECT ${calls.join(', ')}`, settings.flat());
}

/** How PostgreSQL is reached. */
export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  /** Whether all statements of the program find their rows by an index, in tables that grow at a stroke. */
  readonly findsByIndex?: boolean;
  /** How long an answer may take, in milliseconds; the usual when left out. */
  readonly answerTimeoutMs?: number;
}

/** Whatever sends prepared statements: the pool, or one transaction. */
export interface Session {
  /** Sends one statement, prepared under `name` on each connection; resolves with its rows. */
  query<Row extends QueryResultRow>(
    name: string,
    text: string,
    values?: readonly unknown[],
  ): Promise<Row[]>;
}

/**
 * The connection to PostgreSQL: one pool, spoken to in two ways.
 *
 * `prisma` is for whatever is not hot. `query` sends one prepared statement and is for the paths whose
 * round trips are counted; both are for `*.repository.ts` files only.
 */
@Injectable()
export class Database implements OnApplicationShutdown, Session {
  readonly prisma: PrismaClient;
  readonly #pool: Pool;

  constructor(options: DatabaseOptions) {
    this.#pool = new Pool({
      connectionString: options.url,
      max: options.poolSize,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS,
      keepAlive: true,
      types: NUMBERS,
      onConnect: (client) => setUp(client, options.findsByIndex === true ? ONLY_INDEXES : []),
    });
    // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
    this.#pool.on('error', (error) => {
      new Logger(Database.name).warn(`An idle connection was lost: ${error.message}`);
    });
    this.prisma = new PrismaClient({ adapter: new PrismaPg(this.#pool) });
  }

  async query<Row extends QueryResultRow>(
    name: string,
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    const result = await this.#pool.query<Row>({ name, text, values: [...values] });
    return result.rows;
  }

  /**
   * Runs `work` in one transaction on one connection; what it resolves with is committed, and a rejection
   * takes everything back.
   */
  async transaction<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect();
    try {
      await client.query('BEGIN');
      const result = await work({
        query: async <Row extends QueryResultRow>(
          name: string,
          text: string,
          values: readonly unknown[] = [],
        ) => (await client.query<Row>({ name, text, values: [...values] })).rows,
      });
      await client.query('COMMIT');
      client.release();
      return result;
    } catch (error) {
      // Nobody has seen anything of it, so nobody waits. A connection that cannot even take back is not used again.
      client.query('ROLLBACK').then(
        () => client.release(),
        (trouble: Error) => client.release(trouble),
      );
      throw error;
    }
  }

  /** Resolves when the server answers; rejects when it does not. */
  async ping(): Promise<void> {
    await this.#pool.query('SELECT 1');
  }

  async onApplicationShutdown(): Promise<void> {
    await this.prisma.$disconnect();
    if (!this.#pool.ended) await this.#pool.end();
  }
}
