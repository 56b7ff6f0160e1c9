import { type JobName, jobsOfQueue, type QueueName } from '#contracts';
import type { JobHandler } from './job-handler.js';

/** The handlers of a program do not fit the queues that it consumes. */
export class WrongHandlers extends Error {
  override readonly name = 'WrongHandlers';
}

/**
 * Joins each job name of the consumed queues to its one handler.
 * Throws WrongHandlers when a name has none or two, or when a handler is for a name that cannot come.
 */
export function handlerTable(
  queues: readonly QueueName[],
  handlers: readonly JobHandler[],
): ReadonlyMap<JobName, JobHandler> {
  const expected = new Set(queues.flatMap((queue) => jobsOfQueue[queue]));
  const table = new Map<JobName, JobHandler>();
  for (const handler of handlers) {
    if (table.has(handler.jobName)) throw new WrongHandlers(`Two handlers for ${handler.jobName}`);
    if (!expected.has(handler.jobName)) {
      throw new WrongHandlers(`${handler.jobName} is in no queue that this program consumes`);
    }
    table.set(handler.jobName, handler);
  }
  for (const name of expected) {
    if (!table.has(name)) throw new WrongHandlers(`No handler for ${name}`);
  }
  return table;
}
