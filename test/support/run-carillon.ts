import { runCommandLine } from '../../apps/cli/src/run-command-line.js';
import { RecordingTerminal } from './recording-terminal.js';
import type { System } from './start-system.js';

/** Runs a command of an operator on the stores of a system, in the process of the test. */
export async function runCarillon(
  system: System,
  args: readonly string[],
): Promise<{ readonly exitCode: number; readonly text: string }> {
  const terminal = new RecordingTerminal();
  const environment = system.environmentOf('api-gateway');
  const exitCode = await runCommandLine(args, terminal, { environment });
  return { exitCode, text: `${terminal.output} ${terminal.remarks}` };
}
