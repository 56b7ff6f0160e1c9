import { type Json, jsonText } from './output/json.js';
import type { Stores } from './stores/stores.js';
import type { Terminal } from './terminal.js';

/** What commands work with. */
export interface CommandWorld {
  readonly terminal: Terminal;
  readonly stores: Stores;
  /** Makes the program end with 1 although it has answered. */
  fail(): void;
}

/** What every command can be told. */
export interface CommonOptions {
  readonly json?: boolean;
}

/** What came of a command, twice. */
export interface Answer {
  readonly json: Json;
  /** For people. */
  readonly text: string;
  /** Whether the command, though it has an answer, did not do what it was asked for. */
  readonly isFailure?: boolean;
}

/** Says what came of a command in the form that was asked for. */
export function tell(world: CommandWorld, { json }: CommonOptions, answer: Answer): void {
  world.terminal.print(json === true ? jsonText(answer.json) : answer.text);
  if (answer.isFailure === true) world.fail();
}
