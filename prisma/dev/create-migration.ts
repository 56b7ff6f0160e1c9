import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sqlBetweenSchemas } from './schema-diff.js';

/**
 * `npm run migration -- <name> <database url>`: writes the migration from the committed schema to the schema in the
 * working tree. Review the migration before you commit both together.
 */
const SCHEMA_PATH = 'prisma/schema.prisma';

const [name, databaseUrl] = process.argv.slice(2);
if (name === undefined || databaseUrl === undefined || !/^[a-z0-9_]+$/.test(name)) {
  throw new Error('usage: npm run migration -- <name_in_lower_case> <url of any PostgreSQL>');
}
const sql = await sqlBetweenSchemas(
  committedSchema(),
  await readFile(SCHEMA_PATH, 'utf8'),
  databaseUrl,
);
if (sql.includes('This is an empty migration')) {
  console.log('The schema has no uncommitted changes: there is nothing to migrate.');
} else {
  const time = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14);
  const folder = join('prisma', 'migrations', `${time}_${name}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'migration.sql'), sql);
  console.log(`Wrote ${folder}/migration.sql`);
}

function committedSchema(): string {
  const tracked = execFileSync('git', ['ls-tree', '--name-only', 'HEAD', SCHEMA_PATH]).toString();
  return tracked === '' ? '' : execFileSync('git', ['show', `HEAD:${SCHEMA_PATH}`]).toString();
}
