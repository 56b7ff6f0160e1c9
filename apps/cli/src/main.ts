import { runCommandLine } from './run-command-line.js';
import { ProcessTerminal } from './terminal.js';

process.exitCode = await runCommandLine(process.argv.slice(2), new ProcessTerminal());
