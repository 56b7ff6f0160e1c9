import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { errorText } from '#platform/core';
import type { Account } from './server-account.js';

/** A program that must not outlive this process. */
export interface ProcessPlan {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Record<string, string | undefined>;
  readonly stdio: StdioOptions;
  /** The signal for a graceful stop. */
  readonly stopSignal: NodeJS.Signals;
  /** The time limit of the graceful stop before a kill. */
  readonly graceMs: number;
  /** The account to run as, if another one. */
  readonly account?: Account | undefined;
}

/**
 * Waits for the end of its input, which closes with the launcher. Then it stops the given process gracefully, and kills it
 * after ten seconds.
 */
const GUARD = `
  read -r _
  kill -s "$2" "$1" || exit 0
  for _ in 1 2 3 4 5 6 7 8 9 10; do sleep 1; kill -0 "$1" || exit 0; done
  kill -s KILL "$1"`;

/**
 * A child process that ends with this process.
 *
 * It has its own process group, so that Ctrl-C in a terminal reaches only the launcher, which stops everything in order. A
 * second process, the guard, ends it if the launcher is killed; except within the milliseconds between the two starts.
 */
export class OwnProcess {
  static readonly #running = new Set<OwnProcess>();

  /** Resolves with the result, such as `code 1` or `SIGKILL`, or with the error of the start. */
  readonly ended: Promise<string>;
  readonly child: ChildProcess;
  readonly #guard: ChildProcess | undefined;

  constructor(private readonly plan: ProcessPlan) {
    this.child = spawn(plan.command, plan.args, {
      cwd: plan.cwd,
      env: plan.env,
      stdio: plan.stdio,
      detached: process.platform !== 'win32',
      ...(plan.account && { uid: plan.account.uid, gid: plan.account.gid }),
    });
    OwnProcess.#running.add(this);
    this.#guard = this.child.pid === undefined ? undefined : guard(this.child.pid, plan.stopSignal);
    this.ended = this.#end();
  }

  /** Kills all running processes. */
  static killAll(): void {
    for (const one of OwnProcess.#running) one.kill();
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  get isRunning(): boolean {
    return OwnProcess.#running.has(this);
  }

  /** Stops the process gracefully, and kills it after `graceMs`; resolves when it has ended. */
  async stop(): Promise<void> {
    if (!this.isRunning) return;
    this.child.kill(this.plan.stopSignal);
    const timer = setTimeout(() => this.kill(), this.plan.graceMs);
    await this.ended;
    clearTimeout(timer);
  }

  /** Kills the process and its group. */
  kill(): void {
    if (!this.isRunning || this.child.pid === undefined) return;
    try {
      process.kill(-this.child.pid, 'SIGKILL');
    } catch {
      // The group has ended already, or this system has no groups.
      this.child.kill('SIGKILL');
    }
  }

  async #end(): Promise<string> {
    try {
      const [code, signal] = await once(this.child, 'exit');
      return typeof signal === 'string' ? signal : `code ${code}`;
    } catch (error) {
      return errorText(error);
    } finally {
      OwnProcess.#running.delete(this);
      this.#guard?.kill('SIGKILL');
    }
  }
}

function guard(pid: number, stopSignal: NodeJS.Signals): ChildProcess | undefined {
  if (process.platform === 'win32') return undefined;
  const args = ['-c', GUARD, 'guard', String(pid), stopSignal.replace('SIG', '')];
  const shell = spawn('/bin/sh', args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  return shell;
}
