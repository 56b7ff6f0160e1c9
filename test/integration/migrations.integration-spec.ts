import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { readTestStoresConfig } from '#platform/config';
import { applyMigrations, Database, MigrationMismatch, SchemaCheck } from '#platform/database';
import { sqlBetweenSchemas } from '../../prisma/dev/schema-diff.js';
import { countStatements } from '#test/count-statements';
import { untilLockWaits } from '#test/lock-waits';
import { BEYOND_THE_SCHEMA } from './beyond-the-schema.fixture.js';

/** Tables have columns of the same names, so the columns of this view are listed with its name. */
const VIEW = 'user_group_direct_members';

/** The definition of all tables, except for the order of columns. */
const CATALOGUE = `
  SELECT table_name AS "table", column_name AS name, concat_ws(' ', udt_name,
         character_maximum_length, datetime_precision, is_nullable, column_default) AS definition
  FROM information_schema.columns WHERE table_schema = 'public'
  UNION ALL
  SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL
  SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid)
  FROM pg_constraint WHERE connamespace = 'public'::regnamespace
  UNION ALL
  SELECT tgrelid::regclass::text, tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal`;

interface Part {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

describe(applyMigrations.name, () => {
  const server = new URL(readTestStoresConfig().databaseUrl);
  let url: string;
  let name: string;
  let folder: string;
  let admin: Database;
  let database: Database;

  const migration = async (migrationName: string, sql: string) => {
    await mkdir(join(folder, migrationName), { recursive: true });
    await writeFile(join(folder, migrationName, 'migration.sql'), sql);
  };
  /** Applies the migrations of the project before the one whose name ends like this. */
  const applyUntil = async (ending: string) => {
    await cp(join('prisma', 'migrations'), folder, { recursive: true });
    const names = (await readdir(folder)).filter((entry) => /^\d/.test(entry)).toSorted();
    const later = names.slice(names.findIndex((entry) => entry.endsWith(ending)));
    for (const entry of later) await rm(join(folder, entry), { recursive: true });
    await applyMigrations(url, folder);
  };
  const tables = async (): Promise<string[]> => {
    const rows = await database.prisma.$queryRaw<{ name: string }[]>`
      SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = 'public' AND table_name <> '_prisma_migrations' ORDER BY 1`;
    return rows.map((row) => row.name);
  };
  const catalogue = async (): Promise<Part[]> => {
    const parts = await database.prisma.$queryRawUnsafe<Part[]>(CATALOGUE);
    return parts
      .filter(({ table }) => table !== '_prisma_migrations')
      .toSorted((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)));
  };

  beforeAll(() => {
    admin = new Database({ url: server.href, poolSize: 1 });
  });

  afterAll(() => admin.onApplicationShutdown());

  beforeEach(async () => {
    name = `test_${randomBytes(8).toString('hex')}`;
    await admin.prisma.$executeRawUnsafe(`CREATE DATABASE ${name}`);
    url = new URL(`/${name}`, server).href;
    database = new Database({ url, poolSize: 2 });
    folder = await mkdtemp(join(tmpdir(), 'carillon-migrations-'));
  });

  afterEach(async () => {
    await database.onApplicationShutdown();
    await admin.prisma.$executeRawUnsafe(`DROP DATABASE ${name} WITH (FORCE)`);
    await rm(folder, { recursive: true });
  });

  it('applies missing migrations in the order of their names, each once', async () => {
    await migration('2_second', 'ALTER TABLE a ADD COLUMN b int');
    await migration('1_first', 'CREATE TABLE a (id int)');
    expect(await applyMigrations(url, folder)).toEqual(['1_first', '2_second']);
    expect(await applyMigrations(url, folder)).toEqual([]);
    await migration('3_third', 'CREATE TABLE c (id int)');
    expect(await applyMigrations(url, folder)).toEqual(['3_third']);
    expect(await tables()).toEqual(['a', 'c']);
  });

  it('refuses a file that was changed after its application', async () => {
    await migration('1_first', 'CREATE TABLE a (id int)');
    await applyMigrations(url, folder);
    await migration('1_first', 'CREATE TABLE a (id bigint)');
    await migration('2_second', 'CREATE TABLE b (id int)');
    const refused = applyMigrations(url, folder);
    await expect(refused).rejects.toThrow(MigrationMismatch);
    await expect(refused).rejects.toThrow('1_first was changed');
    expect(await tables()).toEqual(['a']);
  });

  it('accepts the database of a newer release without changes', async () => {
    await migration('1_first', 'CREATE TABLE a (id int)');
    await migration('2_second', 'CREATE TABLE b (id int)');
    await applyMigrations(url, folder);
    await rm(join(folder, '2_second'), { recursive: true });
    expect(await applyMigrations(url, folder)).toEqual([]);
    const schema = new SchemaCheck(database, folder);
    expect(await schema.compare()).toEqual({ missing: [], unknown: ['2_second'] });
    await schema.check();
  });

  it.each([
    ['is not newer than its own', '1_another', '2_second'],
    ['is newer, but lacks one of its own', '3_third', '2_second'],
  ])('refuses a database with a migration that %s', async (_, foreign, missing) => {
    await migration('1_first', 'CREATE TABLE a (id int)');
    await migration(foreign, 'CREATE TABLE b (id int)');
    await applyMigrations(url, folder);
    await rm(join(folder, foreign), { recursive: true });
    await migration(missing, 'CREATE TABLE c (id int)');
    await expect(applyMigrations(url, folder)).rejects.toThrow('Run a newer version');
    expect(await tables()).toEqual(['a', 'b']);
  });

  it('lets readiness pass, which otherwise names the missing migration', async () => {
    await migration('1_first', 'CREATE TABLE a (id int)');
    const sut = new SchemaCheck(database, folder);
    await expect(sut.check()).rejects.toThrow('the database lacks the migration 1_first;');
    await applyMigrations(url, folder);
    await migration('2_second', 'CREATE TABLE b (id int)');
    await migration('3_third', 'CREATE TABLE c (id int)');
    await expect(sut.check()).rejects.toThrow('lacks the migration 3_third and 1 before it');
    await applyMigrations(url, folder);
    await sut.check();
    // Load balancers check readiness often: a passed check sends no further statements.
    expect(await countStatements(() => sut.check())).toBe(0);
  });

  it('rolls a failed migration back, and keeps the previous ones', async () => {
    await migration('1_first', 'CREATE TABLE a (id int)');
    await migration('2_second', 'CREATE TABLE b (id int); SELECT nonsense;');
    await expect(applyMigrations(url, folder)).rejects.toThrow('The migration 2_second failed');
    expect(await tables()).toEqual(['a']);
    await migration('2_second', 'CREATE TABLE b (id int);');
    expect(await applyMigrations(url, folder)).toEqual(['2_second']);
  });

  describe('on a table that programs use', () => {
    const rows = 20_000;

    beforeEach(async () => {
      await migration(
        '1_first',
        `CREATE TABLE a (id int); INSERT INTO a SELECT generate_series(1, ${rows})`,
      );
      await applyMigrations(url, folder);
    });

    /** Holds a lock of the table, as a backup does, during some work. */
    const whileRead = (work: () => Promise<void>) =>
      database.transaction(async (transaction) => {
        await transaction.query('read', 'SELECT count(*) FROM a');
        await work();
      });

    it('waits for a lock in short attempts, so that statements pass in between', async () => {
      await migration('2_second', 'ALTER TABLE a ADD COLUMN b int');
      let run: Promise<string[]> | undefined;
      await whileRead(async () => {
        run = applyMigrations(url, folder);
        await untilLockWaits(database, 1, 'ALTER TABLE a');
        // It waits for the attempt, which gives up while the table is still read.
        await database.query('insert', 'INSERT INTO a (id) VALUES (0)');
      });
      expect(await run).toEqual(['2_second']);
    });

    it('is repeated after a deadlock with a program', async () => {
      await migration('2_second', 'CREATE TABLE b (id int)');
      await applyMigrations(url, folder);
      await migration('3_third', 'ALTER TABLE b ADD COLUMN c int; ALTER TABLE a ADD COLUMN c int');
      let run: Promise<string[]> | undefined;
      await database.transaction(async (transaction) => {
        // The migration is the first to look for a deadlock.
        await transaction.query('patience', "SET LOCAL deadlock_timeout = '1min'");
        await transaction.query('read a', 'SELECT count(*) FROM a');
        run = applyMigrations(url, folder);
        await untilLockWaits(database, 1, 'ALTER TABLE b');
        await transaction.query('read b', 'SELECT count(*) FROM b');
      });
      expect(await run).toEqual(['3_third']);
    });

    it('waits no longer where a file sets a limit of its own', async () => {
      await migration(
        '2_second',
        "SET LOCAL lock_timeout = '60s';\n\nALTER TABLE a ADD COLUMN b int",
      );
      await whileRead(async () => {
        await expect(applyMigrations(url, folder, 100)).rejects.toThrow('lock timeout');
      });
      expect(await applyMigrations(url, folder)).toEqual(['2_second']);
      // The ledger has the checksum of the file, not of what was sent.
      expect(await applyMigrations(url, folder)).toEqual([]);
    });

    it('is not ended by the statement timeout of its role', async () => {
      await admin.query('timeout', `ALTER DATABASE ${name} SET statement_timeout = '100ms'`);
      await migration('2_second', '-- no transaction\nSELECT pg_sleep(0.3)');
      expect(await applyMigrations(url, folder)).toEqual(['2_second']);
    });

    it('gives up in the end, and changes nothing', async () => {
      await migration('2_second', 'CREATE TABLE b (id int); ALTER TABLE a ADD COLUMN b int');
      await whileRead(async () => {
        await expect(applyMigrations(url, folder, 100)).rejects.toThrow(
          /The migration 2_second failed: .*lock timeout/,
        );
      });
      expect(await tables()).toEqual(['a']);
    });

    it('builds an index concurrently, also after an interrupted attempt', async () => {
      await database.query('duplicate', 'INSERT INTO a VALUES (1)');
      const sql = 'CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS a_id_key ON a (id)';
      await migration('2_second', `-- no transaction\n${sql}`);
      await expect(applyMigrations(url, folder)).rejects.toThrow('could not create unique index');
      const states = async () =>
        database.query<{ indisvalid: boolean }>(
          'states',
          'SELECT indisvalid FROM pg_index WHERE indrelid = $1::regclass',
          ['a'],
        );
      expect(await states()).toEqual([{ indisvalid: false }]);
      await database.query(
        'single',
        'DELETE FROM a WHERE ctid IN (SELECT max(ctid) FROM a WHERE id = 1)',
      );
      // Other runs wait, and must not keep the index waiting for them.
      const runs = await Promise.all([1, 2, 3].map(() => applyMigrations(url, folder)));
      expect(runs.flat()).toEqual(['2_second']);
      expect(await states()).toEqual([{ indisvalid: true }]);
    });
  });

  it('runs once for concurrent runners', async () => {
    await cp(join('prisma', 'migrations'), folder, { recursive: true });
    const runs = await Promise.all([1, 2, 3].map(() => applyMigrations(url, folder)));
    expect(runs.map((applied) => applied.length > 0).toSorted()).toEqual([false, false, true]);
  });

  it('creates the Prisma schema, and beyond it exactly the listed objects', async () => {
    const schema = await readFile(join('prisma', 'schema.prisma'), 'utf8');
    const sql = await sqlBetweenSchemas('', schema, url);
    await migration('1_schema', sql);
    await applyMigrations(url, folder);
    const wanted = await catalogue();
    expect(wanted.length).toBeGreaterThan(100);
    await database.prisma.$executeRaw`DROP SCHEMA public CASCADE`;
    await database.prisma.$executeRaw`CREATE SCHEMA public`;
    await applyMigrations(url);
    const made = await catalogue();
    const nameOf = ({ table, name: part }: Part) => (table === VIEW ? `${table}.${part}` : part);
    const isBeyond = (part: Part) => BEYOND_THE_SCHEMA.includes(nameOf(part));
    expect(made.filter((part) => !isBeyond(part))).toEqual(wanted);
    expect(made.filter(isBeyond).map(nameOf).toSorted()).toEqual(BEYOND_THE_SCHEMA.toSorted());
  });

  it('widens message ids in an unused database, and not in a used one', async () => {
    const idType = async () => {
      const [row] = await database.prisma.$queryRaw<{ type: string }[]>`
        SELECT data_type::text AS type FROM information_schema.columns
        WHERE table_name = 'messages' AND column_name = 'id'`;
      return row?.type;
    };
    await applyUntil('_message_ids');
    await database.prisma.$executeRaw`INSERT INTO realms (subdomain, name) VALUES ('', 'Used')`;
    await applyMigrations(url);
    expect(await idType()).toBe('integer');
    await database.prisma.$executeRaw`SELECT widen_message_ids()`;
    expect(await idType()).toBe('bigint');
  });

  it('hides files without a link from the clean-up of the previous release', async () => {
    await applyUntil('_forgotten_attachments');
    const { prisma } = database;
    await prisma.$executeRaw`INSERT INTO realms (subdomain, name) VALUES ('', 'Used')`;
    await prisma.$executeRaw`
      INSERT INTO users (realm_id, delivery_email, email, full_name, role, api_key_hash, api_key_sealed)
      SELECT id, 'a@b', 'a@b', 'Ada', 400, '', '' FROM realms`;
    await prisma.$executeRaw`
      INSERT INTO attachments (realm_id, owner_id, path_id, file_name, content_type, size_bytes, created_at, claimed_at)
      SELECT realm_id, id, 'path', 'a.txt', 'text/plain', 1, now() - interval '60 days', now() - interval '25 days'
      FROM users`;
    await applyMigrations(url);
    const [file] = await prisma.attachment.findMany();
    expect(file?.claimedAt).toBeInstanceOf(Date);
    expect(file?.unlinkedAt).toEqual(file?.claimedAt);
  });

  it('gives stored messages with a name of the empty topic the empty topic', async () => {
    await applyUntil('_rules_of_empty_topics');
    const { prisma } = database;
    await prisma.$executeRaw`INSERT INTO realms (subdomain, name) VALUES ('', 'Used')`;
    await prisma.$executeRaw`
      INSERT INTO users (realm_id, delivery_email, email, full_name, role, api_key_hash, api_key_sealed)
      SELECT id, 'a@b', 'a@b', 'Ada', 400, '', '' FROM realms`;
    await prisma.$executeRaw`INSERT INTO channels (realm_id, name) SELECT id, 'general' FROM realms`;
    await prisma.$executeRaw`
      INSERT INTO messages (realm_id, sender_id, channel_id, topic, content)
      SELECT channels.realm_id, users.id, channels.id, topic, 'Hello' FROM channels, users, unnest(
        ARRAY['general chat', '(no topic)', 'General chat', 'lunch']
      ) WITH ORDINALITY AS given (topic, place) ORDER BY place`;
    await applyMigrations(url);
    const stored = await prisma.message.findMany({ orderBy: { id: 'asc' } });
    expect(stored.map(({ topic }) => topic)).toEqual(['', '', 'General chat', 'lunch']);
  });
});
