import type { styleText } from 'node:util';

/** What progress.mjs offers to the commands, which are compiled apart from it. */
export interface Progress {
  /** Runs one step and reports how it ended and how long it took; rethrows its error. */
  step<Result>(
    title: string,
    work: () => Promise<Result>,
    doneTitle?: (result: Result) => string,
  ): Promise<Result>;
  /** Prints one line, above the live line when there is one. */
  print(text: string): void;
  /** Colours a text when the stream shows colours. */
  paint(format: Parameters<typeof styleText>[0], text: string): string;
  /** Whether a terminal watches. */
  readonly isLive: boolean;
  readonly hasColors: boolean;
}

/** What bootstrap.mjs hands to the `run` of a command, which resolves with the exit code. */
export interface CommandContext {
  /** The folder of the project; also the working directory. */
  readonly root: string;
  readonly args: readonly string[];
  readonly progress: Progress;
}

/** Something about this machine keeps a command from going on; the message says what to do. */
export class LocalStackError extends Error {
  override readonly name = 'LocalStackError';
}
