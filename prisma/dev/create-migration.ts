import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sqlBetweenSchemas } from './schema-diff.js';

/**
 * `npm run migration -- <name> <database url>`: writes the next migration, from the committed schema to the one in
 * the working tree. Read it before you commit the two together.
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
  console.log('The schema is what is committed: nothing to migrate.');
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
