import { Database } from '#platform/database';
import type { Template } from './database-templates.js';
import { useDatabase, useStarted } from './use-fixture.js';

/** From then on PostgreSQL plans a prepared statement no more, if the plan seems to be as good for any values. */
export const PLANNED_TIMES = 6;

/** A pool of one connection: plans are those of a connection. */
export const connectOnce = (url: string): Database =>
  new Database({ url, poolSize: 1, findsByIndex: true });

/** The database of a test file, by one connection. */
export function usePlannedDatabase(template?: Template): Database {
  const stores = useDatabase(template);
  return useStarted(
    () => Promise.resolve(connectOnce(stores.url)),
    (database) => database.onApplicationShutdown(),
  );
}

/** The plan of a prepared statement; `values` are SQL. */
export async function planOf(
  database: Database,
  statement: string,
  values: string,
): Promise<string> {
  const text = `EXPLAIN EXECUTE ${statement}${values && `(${values})`}`;
  const rows = await database.query<{ 'QUERY PLAN': string }>(`plan of ${statement}`, text);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}
