import { Logger } from '@nestjs/common';
import { type Client, type ClientBase, Pool, TypeOverrides, types } from 'pg';
import { counted, errorText, Sampler } from '#platform/core';
import { poolOptionsOf } from './primary-client.js';
import { readInTurns } from './read-in-turns.js';

/** The limits of every connection, so that no statement blocks a program forever. */
const STATEMENT_TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_MS = 5_000;

/** PostgreSQL rolls back the transaction of a program that hangs, so that its locks block others no longer. */
const IDLE_TRANSACTION_TIMEOUT_MS = 10_000;

/** For a server that does not answer at all, for example a lost machine. Longer than the statement timeout. */
const ANSWER_TIMEOUT_MS = 20_000;

type Setting = readonly [name: string, value: string];

/**
 * For programs whose statements all use indexes. A connection keeps the plan of a prepared statement. A plan that was
 * made for a nearly empty table scans the whole table, even after the table has grown a thousandfold within a second.
 * `enable_seqscan` prevents such a plan. If there is no alternative to a scan, it raises the estimated cost, which must
 * not trigger JIT compilation. Index plans do not depend on the parameters; without a forced generic plan, PostgreSQL
 * plans a statement for a single row on each call, which takes four times as long as its execution.
 */
const ONLY_INDEXES: readonly Setting[] = [
  ['enable_seqscan', 'off'],
  ['jit', 'off'],
  ['plan_cache_mode', 'force_generic_plan'],
];

/** The type `int4[]`, which pg does not name. */
const INTEGERS: number = 1007;

const PARSERS = new TypeOverrides();
// All values of the schema stay below 2^53.
PARSERS.setTypeParser(types.builtins.INT8, Number);
PARSERS.setTypeParser(types.builtins.TIMESTAMPTZ, timeOf);
PARSERS.setTypeParser(INTEGERS, integersOf);

/** Connections have times in UTC: `2026-01-02 03:04:05.678+00`. The parser of pg, for all others, takes ten times as long. */
function timeOf(text: string): unknown {
  const isUtc = text.endsWith('+00') && text.length >= LENGTH_OF_SECONDS;
  const time = isUtc ? Date.parse(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`) : Number.NaN;
  return Number.isNaN(time) ? parseTime(text) : new Date(time);
}

/** Mostly ids of accounts: `{1,2}`. The parser of pg, for all other lists, takes 20 ms or more for 50,000. */
function integersOf(text: string): unknown {
  try {
    return JSON.parse(`[${text.slice(1, -1)}]`);
  } catch {
    return parseIntegers(text);
  }
}

const parseIntegers = types.getTypeParser(INTEGERS);

const LENGTH_OF_SECONDS = '2026-01-02 03:04:05+00'.length;
const parseTime = types.getTypeParser(types.builtins.TIMESTAMPTZ);

/** The connection to PostgreSQL. */
export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  /** Whether all statements of the program use an index, although tables may grow quickly; see ONLY_INDEXES. */
  readonly findsByIndex?: boolean;
  /**
   * Whether a pooler gives each transaction another connection to the server. Then statements are not prepared, and the
   * settings of connections come from the role.
   */
  readonly isBehindPooler?: boolean;
  /** The timeout of an answer in milliseconds, instead of the default. */
  readonly answerTimeoutMs?: number;
  /** Whether the process may end while connections are open that no statement uses. */
  readonly exitsWhenIdle?: boolean;
}

/**
 * Applies the settings to a new connection, before its first use. They are sent as a statement, because PgBouncer
 * refuses settings in the start message.
 */
async function setUp(client: ClientBase, more: readonly Setting[]): Promise<void> {
  const settings: Setting[] = [
    // Prisma reads times as UTC, and ignores their offsets.
    ['TimeZone', 'UTC'],
    ['statement_timeout', String(STATEMENT_TIMEOUT_MS)],
    ['idle_in_transaction_session_timeout', String(IDLE_TRANSACTION_TIMEOUT_MS)],
    ...more,
  ];
  const calls = settings.map(
    (_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, false)`,
  );
  await client.query(`SELECT ${calls.join(', ')}`, settings.flat());
}

const ignoreError = () => undefined;

/** The idle connections of a pool are lost together: one log entry in this time is enough. */
const LOST_LOG_MS = 10_000;

/** Opens a pool with at most `size` connections. */
export function openPool(options: DatabaseOptions, size: number): Pool {
  const pool = new Pool({
    ...poolOptionsOf(options.url),
    max: size,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS,
    keepAlive: true,
    allowExitOnIdle: options.exitsWhenIdle === true,
    types: PARSERS,
    ...(options.isBehindPooler !== true && {
      onConnect: (client: ClientBase) =>
        setUp(client, options.findsByIndex === true ? ONLY_INDEXES : []),
    }),
  });
  const lostConnections = new Sampler(LOST_LOG_MS);
  // The pool replaces an idle connection that breaks; without a listener its error would end the process.
  pool.on('error', (error) => {
    const count = lostConnections.take();
    if (count === null) return;
    const lost = `Lost ${counted(count, 'idle connection')} since the last entry`;
    new Logger('Database').warn(`${lost}: ${errorText(error)}`);
  });
  // The pool listens only to idle connections. One that breaks between its release and its next use has no statement that
  // could reject, and its error would end the process; the next statement rejects.
  pool.on('connect', (client) => {
    client.on('error', ignoreError);
    // The type of the pool covers other clients than those that it makes.
    readInTurns((client as unknown as Client).connection.stream);
  });
  return pool;
}
