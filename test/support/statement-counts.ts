/** Resolves with the number of SQL statements that another process has sent so far. */
export type StatementCount = () => Promise<number>;

/** The counters of the gateways that this test file uses. */
const counts = new Set<StatementCount>();

/** Includes a gateway's statements in `countStatements`; returns a function that removes them. */
export function addStatementCount(count: StatementCount): () => void {
  counts.add(count);
  return () => void counts.delete(count);
}

/** The sum of all counters. */
export async function statementsOfGateways(): Promise<number> {
  const all = await Promise.all([...counts].map((count) => count()));
  return all.reduce((sum, one) => sum + one, 0);
}

/** Whether the statement configures a new connection of a pool, and so belongs to no request. */
export const isSetUp = ([statement]: readonly unknown[]): boolean =>
  typeof statement === 'string' && statement.startsWith('SELECT set_config(');
