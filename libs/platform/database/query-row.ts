import type { Session } from './database.js';

/**
 * Sends a statement that always has one row, such as an insertion with RETURNING or an aggregate, and resolves with the row.
 * Rejects if there is no row; the error names the statement.
 */
export async function queryRow<Row extends object>(
  session: Session,
  name: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row> {
  const [row] = await session.query<Row>(name, text, values);
  if (row === undefined) throw new Error(`The statement ${name} returned no row`);
  return row;
}
