import type { styleText } from 'node:util';

/** The interface of progress.mjs, which is not compiled with the commands. */
export interface Progress {
  /** Runs one step, and reports its result and its duration; rethrows its error. */
  step<Result>(
    title: string,
    work: () => Promise<Result>,
    doneTitle?: (result: Result) => string,
  ): Promise<Result>;
  /** Prints one line, above the live line when there is one. */
  print(text: string): void;
  /** Colours a text if the stream supports colours. */
  paint(format: Parameters<typeof styleText>[0], text: string): string;
  /** Whether the output is a terminal. */
  readonly isLive: boolean;
  readonly hasColors: boolean;
}

/** The argument of the `run` of a command, which resolves with the exit code. */
export interface CommandContext {
  /** The folder of the project; also the working directory. */
  readonly root: string;
  readonly args: readonly string[];
  readonly progress: Progress;
}

/** A command cannot continue on this machine; the message says what to do. */
export class LocalStackError extends Error {
  override readonly name = 'LocalStackError';
}
