import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { errorText } from '#core';
import type { Account } from './server-account.js';

/** How to run a program that must not outlive this process. */
export interface ProcessPlan {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Record<string, string | undefined>;
  readonly stdio: StdioOptions;
  /** What asks it to end in good order. */
  readonly stopSignal: NodeJS.Signals;
  /** How long it may take to do so before it is killed. */
  readonly graceMs: number;
  /** Whom to run it as, when not as ourselves. */
  readonly account?: Account | undefined;
}

/**
 * Waits for the end of its input, which is the end of the launcher however that came about, then ends
 * the process given: in good order at first, by force after ten seconds.
 */
const GUARD = `
  read -r _
  kill -s "$2" "$1" || exit 0
  for _ in 1 2 3 4 5 6 7 8 9 10; do sleep 1; kill -0 "$1" || exit 0; done
  kill -s KILL "$1"`;

/**
 * A process that we started and will end.
 *
 * It leads a process group of its own, so that Ctrl-C in a terminal reaches only the launcher, which
 * then stops everything in order. A guard beside it ends it should the launcher be killed outright;
 * the limit is a kill within the milliseconds between the two starts.
 */
export class OwnProcess {
  static readonly #running = new Set<OwnProcess>();

  /** Resolves with how it ended, such as `code 1` or `SIGKILL`, or why it could not start. */
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

  /** Ends, by force and at once, whatever still runs. */
  static killAll(): void {
    for (const one of OwnProcess.#running) one.kill();
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  get isRunning(): boolean {
    return OwnProcess.#running.has(this);
  }

  /** Asks it to end, waits, and kills it after its grace; resolves when it has ended. */
  async stop(): Promise<void> {
    if (!this.isRunning) return;
    this.child.kill(this.plan.stopSignal);
    const timer = setTimeout(() => this.kill(), this.plan.graceMs);
    await this.ended;
    clearTimeout(timer);
  }

  /** Ends it and its group by force. */
  kill(): void {
    if (!this.isRunning || this.child.pid === undefined) return;
    try {
      process.kill(-this.child.pid, 'SIGKILL');
    } catch {
      // No such group: it ended a moment ago, or this system has no groups.
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
