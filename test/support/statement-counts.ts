/** Resolves with the number of SQL statements that another process has sent so far. */
type StatementCount = () => Promise<number>;

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

/** The names of the statements that a gateway runs periodically, or after the announcement of new events. */
const BACKGROUND = new Set([
  'event_heads',
  'events_after',
  'delete_expired_event_queues',
  'delete_old_events',
  'lease_left_channels',
  'lease_notices',
  'lease_scheduled_messages',
]);

/** Whether the statement belongs to no request: it configures a new connection of a pool, or runs in the background. */
export function isBackground([statement]: readonly unknown[]): boolean {
  if (typeof statement === 'string') return statement.startsWith('SELECT set_config(');
  const { name } = Object(statement) as { readonly name?: unknown };
  return typeof name === 'string' && BACKGROUND.has(name);
}
