import { randomBytes } from 'node:crypto';
import { readTestStoresConfig } from '#config';
import { applyMigrations, Database } from '#database';

/** A database of a test file's own, with every migration applied. */
export interface TestDatabase {
  readonly url: string;
  readonly database: Database;
  /** Closes the connections and removes the database. */
  drop(): Promise<void>;
}

/** Makes a database under a random name in the throwaway server that `npm test` started. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = new URL(readTestStoresConfig().databaseUrl);
  const name = `test_${randomBytes(8).toString('hex')}`;
  await runOnServer(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  await applyMigrations(url.href);
  const database = new Database({ url: url.href, poolSize: 5 });
  return {
    url: url.href,
    database,
    drop: async () => {
      await database.onApplicationShutdown();
      await runOnServer(server, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
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
