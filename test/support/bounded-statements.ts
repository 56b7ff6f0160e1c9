import type { System } from './start-system.js';

/**
 * Makes every later statement fail that changes more than `most` rows of a table. This simulates the time limit of
 * statements independently of the machine's speed. With `after`, that many changing statements succeed, and all later
 * ones fail.
 */
export async function boundStatements(
  system: System,
  { table, operation, most, after = null }: StatementBound,
): Promise<{ lift(): Promise<void> }> {
  const { prisma } = system.database.database;
  const name = `bound_${table}`;
  const rows = operation === 'DELETE' ? 'OLD' : 'NEW';
  await prisma.$executeRawUnsafe(`CREATE SEQUENCE ${name}_count`);
  await prisma.$executeRawUnsafe(`
    CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE changed bigint := (SELECT count(*) FROM rows);
    BEGIN
      IF changed > ${most} OR changed > 0 AND nextval('${name}_count') > ${after ?? 2 ** 31} THEN
        RAISE EXCEPTION 'A statement changed % rows', changed USING ERRCODE = '57014';
      END IF;
      RETURN NULL;
    END $$`);
  await prisma.$executeRawUnsafe(`
    CREATE TRIGGER ${name} AFTER ${operation} ON ${table}
    REFERENCING ${rows} TABLE AS rows FOR EACH STATEMENT EXECUTE FUNCTION ${name}()`);
  return {
    lift: async () => {
      await prisma.$executeRawUnsafe(`DROP FUNCTION ${name} CASCADE`);
      await prisma.$executeRawUnsafe(`DROP SEQUENCE ${name}_count`);
    },
  };
}

interface StatementBound {
  readonly table: string;
  readonly operation: 'INSERT' | 'UPDATE' | 'DELETE';
  readonly most: number;
  readonly after?: number | null;
}
