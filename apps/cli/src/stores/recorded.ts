import type { Transaction } from '#platform/database';
import type { OperatorAction } from '#platform/operator-actions';
import type { Resolver } from './with-modules.js';

/** Runs a change of PostgreSQL and records the action that it passes to `record`, in one transaction. */
export async function recorded<Result>(
  resolve: Resolver,
  change: (
    transaction: Transaction,
    record: (action: OperatorAction) => Promise<void>,
  ) => Promise<Result>,
): Promise<Result> {
  const { Database } = await import('#platform/database');
  const { OperatorActions } = await import('#platform/operator-actions');
  const actions = resolve(OperatorActions);
  return resolve(Database).transaction((transaction) =>
    change(transaction, (action) => actions.record(action, transaction)),
  );
}

/** Records a change that was committed before. */
export async function recordDone(resolve: Resolver, action: OperatorAction): Promise<void> {
  const { OperatorActions } = await import('#platform/operator-actions');
  await resolve(OperatorActions).record(action);
}
