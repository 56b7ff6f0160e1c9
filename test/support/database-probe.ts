/**
 * Loaded into a program before its own code (`node --import`): counts the statements that it sends to
 * PostgreSQL, and has them fail on request. Each such message of the parent process is an order and is
 * answered with the number of statements so far.
 */
import { Client } from 'pg';
import type { CostQuestion } from './cost-probe.js';
import { isSetUp } from './statement-counts.js';

/** What the parent process may send. */
export type ProbeOrder = 'count' | 'fail after commit' | 'heal';

let count = 0;
let failsAfterCommit = false;
let hasCommitted = false;

// A pool sends nothing but by its clients, and Prisma has a pool of ours.
Client.prototype.query = new Proxy(Client.prototype.query, {
  apply: (query, client, args) => {
    if (!isSetUp(args)) count += 1;
    if (failsAfterCommit && hasCommitted) return fail(args);
    if (args[0] === 'COMMIT') hasCommitted = true;
    return Reflect.apply(query, client, args);
  },
});

/** Fails as a lost connection does: by the callback where there is one, as with a pool. */
function fail(args: readonly unknown[]): Promise<never> | undefined {
  const error = new Error('Connection terminated unexpectedly');
  const callback = args.at(-1);
  if (typeof callback !== 'function') return Promise.reject(error);
  process.nextTick(callback, error);
  return undefined;
}

process.on('message', (order: ProbeOrder | CostQuestion) => {
  // The other probe answers that.
  if (order === 'cost') return;
  if (order !== 'count') {
    failsAfterCommit = order === 'fail after commit';
    hasCommitted = false;
  }
  process.send?.(count);
});
// The channel alone is no reason for the program to go on.
process.channel?.unref();
