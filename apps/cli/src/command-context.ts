import { type Json, jsonText } from './output/json.js';
import type { Stores } from './stores/stores.js';
import type { Terminal } from './terminal.js';

/** The dependencies of the commands. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly stores: Stores;
  /** Sets the exit code 1 for a command that prints its output nevertheless. */
  fail(): void;
}

/** The options of every command. */
export interface CommonOptions {
  readonly json?: boolean;
}

/** The output of a command, in both formats. */
export interface Answer {
  readonly json: Json;
  /** The text for a person. */
  readonly text: string;
  /** The command has output, but did not succeed. */
  readonly isFailure?: boolean;
}

/** Prints the output of a command in the requested format. */
export function printAnswer(
  context: CommandContext,
  { json }: CommonOptions,
  answer: Answer,
): void {
  context.terminal.print(json === true ? jsonText(answer.json) : answer.text);
  if (answer.isFailure === true) context.fail();
}
