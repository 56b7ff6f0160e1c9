import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OWN_LOCK_TIMEOUT, unsafeStatements } from './unsafe-migrations.js';

/** Earlier migrations were applied before this check existed. */
const FIRST_CHECKED = '20261124';
/** The last released migration that sets `lock_timeout`. The runner leaves such a line out. */
const LAST_WITH_LOCK_TIMEOUT = '20261128062200_presence_in_place';
const FOLDER = 'prisma/migrations';

const checked = readdirSync(FOLDER).filter((name) => /^\d/.test(name) && name >= FIRST_CHECKED);

const refused = [
  ['ALTER TABLE users ADD COLUMN x int NOT NULL', 'adding-required-field'],
  ['ALTER TABLE users RENAME COLUMN a TO b', 'renaming-column'],
  ['ALTER TABLE users ALTER COLUMN id TYPE bigint', 'changing-column-type'],
  ['ALTER TABLE users DROP COLUMN a', 'ban-drop-column'],
  ['CREATE INDEX i ON users (a)', 'require-concurrent-index-creation'],
  ['DROP INDEX i', 'require-concurrent-index-deletion'],
  [
    'ALTER TABLE users ADD CONSTRAINT c FOREIGN KEY (a) REFERENCES realms (id)',
    'adding-foreign-key-constraint',
  ],
  ["SET LOCAL lock_timeout = '5s'; ALTER TABLE users ADD COLUMN x int", OWN_LOCK_TIMEOUT],
  ["SELECT set_config('lock_timeout', '5s', true)", OWN_LOCK_TIMEOUT],
  ['CREATE INDEX CONCURRENTLY i ON users (a)', 'impossible in a transaction'],
  ['-- no transaction\nCREATE INDEX CONCURRENTLY i ON users (a)', 'cannot be repeated'],
  ['-- no transaction\nDROP INDEX CONCURRENTLY IF EXISTS i; SELECT 1', 'has one statement'],
] as const;
const permitted = [
  'ALTER TABLE users ADD COLUMN x int NOT NULL DEFAULT 0',
  'CREATE TABLE a (id serial PRIMARY KEY, b int); CREATE INDEX i ON a (b)',
  'ALTER TABLE users ADD CONSTRAINT c CHECK (a > 0) NOT VALID',
  '-- no transaction\nCREATE INDEX CONCURRENTLY IF NOT EXISTS i ON users (a)',
  '-- No release reads it.\n-- squawk-ignore ban-drop-column\nALTER TABLE users DROP COLUMN a',
];

describe(unsafeStatements.name, () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'carillon-migration-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const fileOf = (name: string) => `${FOLDER}/${name}/migration.sql`;
  const statements = [...refused.map(([sql]) => sql), ...permitted];
  const fileOfStatement = (sql: string) => path.join(folder, `${statements.indexOf(sql)}.sql`);
  const faults = new Map<string, string[]>();

  beforeAll(() => {
    for (const sql of statements) writeFileSync(fileOfStatement(sql), `${sql};\n`);
    const files = [...checked.map(fileOf), ...statements.map(fileOfStatement)];
    for (const [file, found] of unsafeStatements(files)) faults.set(file, found);
  });

  it('finds none in the new migrations', () => {
    const faultsIn = (name: string) =>
      faults
        .get(fileOf(name))
        ?.filter((fault) => fault !== OWN_LOCK_TIMEOUT || name > LAST_WITH_LOCK_TIMEOUT);
    const found = checked.map((name) => [name, faultsIn(name)]);
    expect(found).toEqual(checked.map((name) => [name, []]));
  });

  it.each(refused)('refuses %s', (sql, rule) => {
    expect(faults.get(fileOfStatement(sql))?.join('\n')).toContain(rule);
  });

  it.each(permitted)('permits %s', (sql) => {
    expect(faults.get(fileOfStatement(sql))).toEqual([]);
  });
});
