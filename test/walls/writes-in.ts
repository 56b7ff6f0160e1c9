/** The methods of the database client that write. */
const CLIENT_WRITE =
  /\.(\w+)\s*\.(?:create|createMany|createManyAndReturn|update|updateMany|updateManyAndReturn|upsert|delete|deleteMany)\(/g;

const SQL_WRITE =
  /\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM|MERGE\s+INTO|TRUNCATE(?:\s+TABLE)?)\s+(?:ONLY\s+)?"?(\w+)"?/g;

/** Maps the client's name of each table to its SQL name: `model User { … @@map("users") }` gives `user` to `users`. */
export function tablesByModel(schema: string): ReadonlyMap<string, string> {
  const models = schema.matchAll(/^model (\w)(\w*) \{\n.*?^\s+@@map\("(\w+)"\)/gms);
  return new Map(
    [...models].map(([, first = '', rest = '', table = '']) => [first.toLowerCase() + rest, table]),
  );
}

/**
 * Maps the client's name of each column of a table to its SQL name: `userId Int @map("user_id")` gives `userId` to
 * `user_id`.
 */
export function columnsByField(schema: string, table: string): ReadonlyMap<string, string> {
  const models = schema.split(/^model /m).slice(1);
  const model = models.find((text) => text.includes(`@@map("${table}")`)) ?? '';
  const fields = model.matchAll(/^ {2}(\w+)\s+\w[^\n]*/gm);
  return new Map(
    [...fields].map(([line, field = '']) => [field, /@map\("(\w+)"\)/.exec(line)?.[1] ?? field]),
  );
}

/** The tables that the source writes with SQL or with the client, sorted. */
export function writesIn(source: string, tables: ReadonlyMap<string, string>): string[] {
  const known = new Set(tables.values());
  const bySql = [...source.matchAll(SQL_WRITE)].map(([, table = '']) => table);
  const byClient = [...source.matchAll(CLIENT_WRITE)].map(([, model = '']) => tables.get(model));
  const written = [...bySql, ...byClient].filter((table) => table !== undefined);
  return [...new Set(written)].filter((table) => known.has(table)).toSorted();
}
