import { randomBytes } from 'node:crypto';
import { readTestStoresConfig } from '#config';
import { Database } from '#database';
import { type Template, templateName } from './database-templates.js';

/** A database of a test file's own, with every migration applied. */
export interface TestDatabase {
  readonly url: string;
  readonly database: Database;
  /** Closes the connections and removes the database. */
  drop(): Promise<void>;
}

/**
 * Makes a database under a random name in the throwaway server that `npm test` started, as a copy of a
 * template: with every migration applied, and with the demo organisation when the template is `demo`.
 */
export async function createTestDatabase(template: Template = 'migrated'): Promise<TestDatabase> {
  const server = new URL(readTestStoresConfig().databaseUrl);
  const name = `test_${randomBytes(8).toString('hex')}`;
  await runOnServer(server, `CREATE DATABASE ${name} TEMPLATE ${templateName(template)}`);
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

/** Opens a database that exists already; `drop` only closes the connections. */
export function openTestDatabase(url: string): TestDatabase {
  const database = new Database({ url, poolSize: 5 });
  return { url, database, drop: () => database.onApplicationShutdown() };
}

/** Address of the throwaway Redis; what a test writes there goes under a random prefix or realm. */
export const testRedisUrl = (): string => readTestStoresConfig().redisUrl;

async function runOnServer(server: URL, sql: string): Promise<void> {
  const connection = new Database({ url: server.href, poolSize: 1 });
  try {
    await connection.prisma.$executeRawUnsafe(sql);
  } finally {
    await connection.onApplicationShutdown();
  }
}
