import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { errorText } from '#core';
import { LocalStackError, type Progress } from './command.js';
import { OwnProcess, type ProcessPlan } from './own-process.js';
import { waitUntil } from './wait-until.js';

/** A server of ours: where it is, how to stop it. */
export interface PrivateServer {
  readonly url: string;
  /** For people, such as `PostgreSQL 18.4 on port 20123`. */
  readonly title: string;
  stop(): Promise<void>;
}

/** What is to be started, PostgreSQL and Redis alike. */
export interface ServerOptions {
  readonly root: string;
  /** Where it keeps its data, password and port; made when it is not there. */
  readonly folder: string;
  /** Whether the data may be lost at any time. */
  readonly isThrowaway: boolean;
  readonly progress: Progress;
}

/** How to run a server and when it counts as up. */
export interface ServerPlan extends Omit<ProcessPlan, 'stdio'> {
  readonly name: string;
  /** Where its log goes, as `server.log`. */
  readonly home: string;
  /** What it reads on its standard input, such as a configuration that holds a password. */
  readonly input?: string;
  readonly isReady: () => Promise<boolean>;
  readonly deadlineMs: number;
}

/** Starts a server and waits until it serves; rejects with the end of its log when it does not. */
export async function startServer(plan: ServerPlan): Promise<OwnProcess> {
  const server = runLogged(plan);
  const isUp = waitUntil(`${plan.name} answers`, plan.isReady, plan.deadlineMs);
  try {
    await Promise.race([isUp, failsWhenEnded(server)]);
    return server;
  } catch (error) {
    await server.stop();
    // The wait may still be on; what it would say is of no use any more.
    isUp.catch(() => undefined);
    throw withLog(plan, error);
  }
}

/** Runs a program that does its work and ends, such as initdb; rejects with the end of its log. */
export async function runToEnd(plan: Omit<ServerPlan, 'isReady' | 'deadlineMs'>): Promise<void> {
  const how = await runLogged(plan).ended;
  if (how !== 'code 0') throw withLog(plan, new Error(how));
}

function runLogged(plan: Omit<ServerPlan, 'isReady' | 'deadlineMs'>): OwnProcess {
  const log = openSync(path.join(plan.home, 'server.log'), 'w', 0o600);
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
