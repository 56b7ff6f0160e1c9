import { rmSync } from 'node:fs';
import { constants } from 'node:os';
import { isRunByNpm } from '#platform/config';
import type { Progress } from './command.js';
import { OwnProcess } from './own-process.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** npm forwards signals of the terminal: one Ctrl-C arrives as two signals. */
const SAME_KEY_MS = 500;
const PARENT_CHECK_MS = 250;

/** The cleanups at the end of a command. */
export class Lifetime {
  readonly #cleanups: (() => Promise<void>)[] = [];
  readonly #folders: string[] = [];

  /** Adds a cleanup. Cleanups run in reverse order. */
  defer(cleanup: () => Promise<void>): void {
    this.#cleanups.push(cleanup);
  }

  /** Removes this folder after all cleanups. */
  removeAtEnd(folder: string): void {
    this.#folders.push(folder);
  }

  async end(): Promise<void> {
    for (const cleanup of this.#cleanups.toReversed()) await cleanup();
    this.endByForce();
  }

  endByForce(): void {
    OwnProcess.killAll();
    for (const folder of this.#folders) {
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    }
  }
}

/**
 * Runs the body, then its cleanups: after its end, after a failure, and after a signal. A second signal kills all
 * processes. Resolves with the exit code of the body, or with the first signal.
 */
export async function withLifetime(
  progress: Progress,
  body: (lifetime: Lifetime) => Promise<number>,
): Promise<number | NodeJS.Signals> {
  const lifetime = new Lifetime();
  const signalled = new Promise<NodeJS.Signals>((resolve) => {
    let firstAt: number | undefined;
    const onSignal = (signal: NodeJS.Signals) => {
      const now = performance.now();
      if (firstAt === undefined) {
        firstAt = now;
        progress.print(`\nStopping (${signal}); once more to force it.`);
        resolve(signal);
      } else if (now - firstAt > SAME_KEY_MS) {
        lifetime.endByForce();
        process.exit(exitCodeOf(signal));
      }
    };
    for (const signal of SIGNALS) process.on(signal, onSignal);
    if (isRunByNpm()) whenOrphaned(() => onSignal('SIGTERM'));
  });
  process.once('exit', () => OwnProcess.killAll());
  try {
    return await Promise.race([body(lifetime), signalled]);
  } finally {
    await lifetime.end();
  }
}

/** On a signal npm ends only the shell above this process, which then has another parent. */
function whenOrphaned(act: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    act();
  }, PARENT_CHECK_MS);
  timer.unref();
}

/** The exit code for a program that was ended by a signal. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
