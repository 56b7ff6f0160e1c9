/** Asks how many SQL statements another process has sent so far. */
export type StatementCount = () => Promise<number>;

/** Those of the gateways that this test file uses. */
const counts = new Set<StatementCount>();

/** Has a gateway's statements counted by `countStatements`; returns what takes it back. */
export function addStatementCount(count: StatementCount): () => void {
  counts.add(count);
  return () => void counts.delete(count);
}

/** All of them together. */
export async function statementsOfGateways(): Promise<number> {
  const all = await Promise.all([...counts].map((count) => count()));
  return all.reduce((sum, one) => sum + one, 0);
}

/** Whether this is the settings of a connection that a pool has just opened: those are of no request. */
export const isSetUp = ([statement]: readonly unknown[]): boolean =>
  typeof statement === 'string' && statement.startsWith('SELECT set_config(');
