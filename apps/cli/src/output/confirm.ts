import { CommandFailure, wrongUse } from '../command-failure.js';
import type { Terminal } from '../terminal.js';

/**
 * Has a person confirm what cannot be undone, unless `--yes` was given. Rejects when the answer is not yes,
 * and when there is nobody to ask.
 */
export async function confirm(
  terminal: Terminal,
  isSure: boolean,
  question: string,
): Promise<void> {
  if (isSure) return;
  if (!terminal.isInteractive) {
    throw wrongUse(`${question} Nobody is here to be asked: repeat the command with --yes.`);
  }
  const answer = await terminal.ask(`${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailure('refused', 'Nothing was changed.');
}
