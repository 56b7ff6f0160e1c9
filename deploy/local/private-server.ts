import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { errorText } from '#platform/core';
import { LocalStackError, type Progress } from './command.js';
import { OwnProcess, type ProcessPlan } from './own-process.js';
import { waitUntil } from './wait-until.js';

/** A server that this command has started. */
export interface PrivateServer {
  readonly url: string;
  /** The description for people, such as `PostgreSQL 18.4 on port 20123`. */
  readonly title: string;
  readonly process: OwnProcess;
  /** Starts it again on the same port and data, after its end. */
  readonly spawn: () => OwnProcess;
  stop(): Promise<void>;
}

/** The options of PostgreSQL and Redis. */
export interface ServerOptions {
  readonly root: string;
  /** The folder of the data, password and port; created if it is missing. */
  readonly folder: string;
  /** Temporary data, without durability. */
  readonly isThrowaway: boolean;
  readonly progress: Progress;
}

/** How to run a server, and when it counts as ready. */
export interface ServerPlan extends Omit<ProcessPlan, 'stdio'> {
  readonly name: string;
  /** The folder of `server.log`. */
  readonly home: string;
  /** The standard input, such as a configuration with a password. */
  readonly input?: string;
  readonly isReady: () => Promise<boolean>;
  readonly deadlineMs: number;
}

/** Starts a server and waits until it is ready; otherwise rejects with the end of its log. */
export async function startServer(plan: ServerPlan): Promise<OwnProcess> {
  const server = runLogged(plan);
  const isUp = waitUntil(`${plan.name} answers`, plan.isReady, plan.deadlineMs);
  try {
    await Promise.race([isUp, failsWhenEnded(server)]);
    return server;
  } catch (error) {
    await server.stop();
    // The wait may still be running; its error is no longer needed.
    isUp.catch(() => undefined);
    throw withLog(plan, error);
  }
}

/** Starts an ended server again, without waiting until it is ready. Its log continues. */
export const restartServer = (plan: ServerPlan): OwnProcess => runLogged(plan, 'a');

/** Runs a program to its end, such as initdb; rejects with the end of its log if it fails. */
export async function runToEnd(plan: Omit<ServerPlan, 'isReady' | 'deadlineMs'>): Promise<void> {
  const how = await runLogged(plan).ended;
  if (how !== 'code 0') throw withLog(plan, new Error(how));
}

function runLogged(
  plan: Omit<ServerPlan, 'isReady' | 'deadlineMs'>,
  flags: 'w' | 'a' = 'w',
): OwnProcess {
  const log = openSync(path.join(plan.home, 'server.log'), flags, 0o600);
  try {
    const server = new OwnProcess({ ...plan, stdio: ['pipe', log, log] });
    server.child.stdin?.on('error', () => undefined).end(plan.input ?? '');
    return server;
  } finally {
    closeSync(log);
  }
}

async function failsWhenEnded(server: OwnProcess): Promise<never> {
  throw new Error(`it ended (${await server.ended})`);
}

function withLog(plan: { name: string; home: string }, error: unknown): LocalStackError {
  const log = readFileSync(path.join(plan.home, 'server.log'), 'utf8').trim();
  const end = log.split('\n').slice(-15).join('\n  ');
  const trouble = errorText(error);
  return new LocalStackError(`${plan.name} could not be started: ${trouble}\n  ${end}`);
}
