import { randomBytes } from 'node:crypto';
import { readTestStoresConfig } from '#platform/config';
import { clientOf, Database } from '#platform/database';
import { type Template, templateName } from './database-templates.js';

/** The migrated database of a test file. */
export interface TestDatabase {
  readonly url: string;
  readonly database: Database;
  /** Closes the connections and removes the database. */
  drop(): Promise<void>;
}

/**
 * Creates a database with a random name in the temporary server of `npm test`, as a copy of a template: with all
 * migrations, and with the demo organisation if the template is `demo`.
 */
export const createTestDatabase = (template: Template = 'migrated'): Promise<TestDatabase> =>
  createFrom(templateName(template));

/** The same without any migration. */
export const createEmptyDatabase = (): Promise<TestDatabase> => createFrom('template0');

async function createFrom(template: string): Promise<TestDatabase> {
  const server = new URL(readTestStoresConfig().databaseUrl);
  const name = `test_${randomBytes(8).toString('hex')}`;
  // The server does not sync its files: copying them costs half of writing their pages to the log.
  await runOnServer(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const connection = openTestDatabase(url.href);
  return {
    ...connection,
    drop: async () => {
      await connection.drop();
      await runOnServer(server, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

/** Connects to an existing database; `drop` only closes the connections. */
export function openTestDatabase(url: string, { exitsWhenIdle = false } = {}): TestDatabase {
  const database = new Database({ url, poolSize: 5, exitsWhenIdle });
  return { url, database, drop: () => database.onApplicationShutdown() };
}

/** The address of the Redis of the run; a test writes there under a random prefix or realm. */
export const testRedisUrl = (): string => readTestStoresConfig().redisUrl;

async function runOnServer(server: URL, sql: string): Promise<void> {
  const connection = clientOf(server.href);
  await connection.connect();
  try {
    await connection.query(sql);
  } finally {
    await connection.end();
  }
}
