/**
 * Loaded into a program before its own code (`node --import`): counts the statements that the program sends to
 * PostgreSQL for its requests, and makes statements fail on request. It answers each command of the parent process with
 * the number of statements so far.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { Client } from 'pg';
import type { CostQuestion } from './cost-probe.js';
import { isBackground } from './statement-counts.js';

/** The commands of the parent process. */
export type ProbeOrder = 'count' | 'fail after commit' | 'heal';

/**
 * Set in a request, and in all work that it starts. Periodic tasks have none: a task may find work of an earlier test
 * file while another file counts.
 */
const inRequest = new AsyncLocalStorage<true>();
subscribe('http.server.request.start', () => inRequest.enterWith(true));

let count = 0;
let failsAfterCommit = false;
let hasCommitted = false;

// A pool sends all statements through its clients, and Prisma uses a pool.
Client.prototype.query = new Proxy(Client.prototype.query, {
  apply: (query, client, args) => {
    if (inRequest.getStore() === true && !isBackground(args)) count += 1;
    if (failsAfterCommit && hasCommitted) return fail(args);
    if (args[0] === 'COMMIT') hasCommitted = true;
    return Reflect.apply(query, client, args);
  },
});

/** Fails like a lost connection: through the callback if the caller passed one, as a pool does. */
function fail(args: readonly unknown[]): Promise<never> | undefined {
  const error = new Error('Connection terminated unexpectedly');
  const callback = args.at(-1);
  if (typeof callback !== 'function') return Promise.reject(error);
  process.nextTick(callback, error);
  return undefined;
}

process.on('message', (order: ProbeOrder | CostQuestion) => {
  // The cost probe answers these messages.
  if (order === 'cost' || order === 'last cost') return;
  if (order !== 'count') {
    failsAfterCommit = order === 'fail after commit';
    hasCommitted = false;
  }
  process.send?.(count);
});
// The IPC channel must not keep the program running.
process.channel?.unref();
