import { rmSync } from 'node:fs';
import { constants } from 'node:os';
import { isRunByNpm } from '#config';
import type { Progress } from './command.js';
import { OwnProcess } from './own-process.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** npm passes on what the terminal has sent to us too: one Ctrl-C comes as two signals. */
const SAME_KEY_MS = 500;
const PARENT_CHECK_MS = 250;

/** What must be undone when a command ends, however it ends. */
export class Lifetime {
  readonly #cleanups: (() => Promise<void>)[] = [];
  readonly #folders: string[] = [];

  /** Has this done at the end; the last one first. */
  defer(cleanup: () => Promise<void>): void {
    this.#cleanups.push(cleanup);
  }

  /** Has this folder removed at the very end, when nothing of ours runs any more. */
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
 * Runs the body, then undoes what it deferred: when it has ended, when it has failed, and when a
 * signal asks for the end. A second signal ends all by force. Resolves with the body's exit code, or
 * with the signal that came first.
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

/** Asked to end, npm ends the shell between it and us, which does not tell us: we are then orphans. */
function whenOrphaned(act: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    act();
  }, PARENT_CHECK_MS);
  timer.unref();
}

/** The exit code by which shells know that a signal ended a program. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
