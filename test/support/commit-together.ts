import { EventLog, EventRepository } from '#events/log';
import { untilLockWaits } from './lock-waits.js';
import type { Reply } from './http-request.js';
import type { System } from './start-system.js';

/**
 * Sends requests that change something, so that none has committed when the last one has begun: they wait for the order of
 * the events of the organisation, or for the lock of an earlier one. They are sent in the given
 * order, but may commit in another one.
 */
export async function commitTogether(
  system: System,
  realm: { readonly id: number },
  ...requests: readonly (() => Promise<Reply>)[]
): Promise<readonly Reply[]> {
  const { database } = system.database;
  const log = new EventLog(new EventRepository(database));
  const { replies } = await database.transaction(async (transaction) => {
    await log.lockOrder(transaction, realm.id);
    const sent: Promise<Reply>[] = [];
    for (const request of requests) {
      sent.push(request());
      await untilLockWaits(database, sent.length);
    }
    // Not awaited: they wait for the end of this transaction.
    return { replies: Promise.all(sent) };
  });
  return replies;
}
