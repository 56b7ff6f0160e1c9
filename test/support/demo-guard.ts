import type { Database } from '#platform/database';

/** The state of the demo organisation: a digest of its rows in each table. */
type Digests = ReadonlyMap<string, string>;

const DEMO = `(SELECT id FROM realms WHERE subdomain = '')`;

/**
 * The conditions for rows of the demo organisation in a table with this column. Events and queues are not compared: a
 * change that is undone leaves its events.
 */
const conditions = new Map([
  ['realm_id', `realm_id = ${DEMO}`],
  // As an array: an index finds its rows among those of the other organisations.
  ['user_id', `user_id = ANY(ARRAY(SELECT id FROM users WHERE realm_id = ${DEMO}))`],
]);

/**
 * Checks that a test file leaves the demo organisation of a shared gateway unchanged, because other files rely on it in
 * any order.
 */
export class DemoGuard {
  #before: Digests;

  private constructor(
    private readonly database: Database,
    private readonly sql: string,
    before: Digests,
  ) {
    this.#before = before;
  }

  static async start(database: Database): Promise<DemoGuard> {
    const sql = await digestStatement(database);
    return new DemoGuard(database, sql, await digests(database, sql));
  }

  /** Rejects with the names of the tables in which rows of the demo organisation have changed since the last check. */
  async check(): Promise<void> {
    const before = this.#before;
    const after = await digests(this.database, this.sql);
    this.#before = after;
    const changed = [...after].filter(([table, digest]) => before.get(table) !== digest);
    if (changed.length === 0) return;
    const tables = changed.map(([table]) => table).join(', ');
    throw new Error(
      `This file has changed the demo organisation (${tables}), which other files share. ` +
        'Add an organisation for it, or start a separate gateway: useGateway({}).',
    );
  }
}

async function digestStatement(database: Database): Promise<string> {
  const columns = await database.prisma.$queryRawUnsafe<{ table: string; column: string }[]>(
    `SELECT DISTINCT ON (table_name) table_name AS table, column_name AS column
     FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name IN ('realm_id', 'user_id')
       AND table_name NOT IN ('event_heads', 'events', 'event_queues')
     ORDER BY table_name, column_name`,
  );
  const parts = columns.map(({ table, column }) =>
    digestPart(table, conditions.get(column) ?? 'true'),
  );
  return [digestPart('realms', `id = ${DEMO}`), ...parts].join(' UNION ALL ');
}

const digestPart = (table: string, condition: string): string =>
  `SELECT '${table}' AS table, md5(string_agg(t::text, ',' ORDER BY t::text)) AS digest
   FROM ${table} t WHERE ${condition}`;

async function digests(database: Database, sql: string): Promise<Digests> {
  const rows =
    await database.prisma.$queryRawUnsafe<{ table: string; digest: string | null }[]>(sql);
  return new Map(rows.map(({ table, digest }) => [table, digest ?? '']));
}
