import { CommandFailure, wrongUse } from '../command-failure.js';
import type { Terminal } from '../terminal.js';

/**
 * Asks for the confirmation of an irreversible action, unless `--yes` was given. Rejects if the answer is not yes, and
 * if the terminal is not interactive.
 */
export async function confirm(
  terminal: Terminal,
  isSure: boolean,
  question: string,
): Promise<void> {
  if (isSure) return;
  if (!terminal.isInteractive) {
    throw wrongUse(`${question} The terminal is not interactive: repeat the command with --yes.`);
  }
  const answer = await terminal.ask(`${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailure('refused', 'Nothing was changed.');
}
