import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readTestStoresConfig } from '#platform/config';
import { applyMigrations, Database } from '#platform/database';
import { seedDemoWorld } from '../../prisma/seed/seed.js';
import { templateApiKeySecret, templateName, templatePushKeySecret } from './database-templates.js';

/**
 * Creates the template databases of a run: one with all migrations, and one with the demo organisation too. A later run
 * of Jest on the same stores finds them.
 */
export async function createTemplates(): Promise<void> {
  const server = new URL(readTestStoresConfig().databaseUrl);
  const [migrated, demo] = [templateName('migrated'), templateName('demo')];
  const connection = new Database({ url: server.href, poolSize: 1 });
  try {
    const found = await connection.prisma
      .$queryRaw`SELECT 1 FROM pg_database WHERE datname = ${demo}`;
    if (Array.isArray(found) && found.length > 0) return;
    await connection.prisma.$executeRawUnsafe(`CREATE DATABASE ${migrated}`);
    await applyMigrations(addressOf(server, migrated));
    await connection.prisma.$executeRawUnsafe(`CREATE DATABASE ${demo} TEMPLATE ${migrated}`);
  } finally {
    await connection.onApplicationShutdown();
  }
  await seed(addressOf(server, demo));
}

function addressOf(server: URL, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

/** Each system writes the demo files with its own addresses; these files are unused. */
async function seed(databaseUrl: string): Promise<void> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'carillon-template-'));
  const nowhere = 'http://127.0.0.1:1';
  try {
    await seedDemoWorld({
      databaseUrl,
      redisUrl: 'redis://127.0.0.1:1',
      apiKeySecret: templateApiKeySecret,
      pushKeySecret: templatePushKeySecret,
      baseUrl: nowhere,
      sandboxUrl: nowhere,
      opsToken: '',
      dataDir,
    });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
