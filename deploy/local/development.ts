import path from 'node:path';
import { childEnvironment } from '#platform/config';
import { type CommandContext, LocalStackError } from './command.js';
import type { Lifetime } from './lifetime.js';
import { OwnProcess } from './own-process.js';
import { ProgramLog } from './supervisor.js';
import { programNames } from './programs.js';

/** The options of `npm start` for development. */
export interface DevelopmentOptions {
  /** Compiles changes, and restarts the affected programs. */
  readonly watches: boolean;
  /** Opens a port for a debugger in each program. */
  readonly inspects: boolean;
}

/** The port of the first program's debugger; each further program has the next port. .vscode/launch.json names them. */
const FIRST_INSPECT_PORT = 9229;

const COMPILER = 'tsc';

/** Throws LocalStackError for an unknown argument. */
export function developmentOptions(args: readonly string[]): DevelopmentOptions {
  const unknown = args.find((arg) => arg !== '--watch' && arg !== '--inspect');
  if (unknown !== undefined) {
    throw new LocalStackError(`npm start takes --watch and --inspect, and not "${unknown}".`);
  }
  return { watches: args.includes('--watch'), inspects: args.includes('--inspect') };
}

/** The arguments of node for one program. */
export function nodeArgsFor(name: string, { watches, inspects }: DevelopmentOptions): string[] {
  const port = FIRST_INSPECT_PORT + programNames.findIndex((one) => one === name);
  return [...(watches ? ['--watch'] : []), ...(inspects ? [`--inspect=127.0.0.1:${port}`] : [])];
}

/** Runs the compiler until the lifetime ends, and prints its errors like the log of a program. */
export function compileOnChange({ root, progress }: CommandContext, lifetime: Lifetime): void {
  const compiler = new OwnProcess({
    command: process.execPath,
    args: [
      path.join(root, 'node_modules/typescript/bin/tsc'),
      '--project',
      'tsconfig.build.json',
      '--watch',
      '--preserveWatchOutput',
    ],
    cwd: root,
    env: childEnvironment({}, {}),
    stdio: ['ignore', 'pipe', 'pipe'],
    stopSignal: 'SIGTERM',
    graceMs: 2000,
  });
  lifetime.defer(() => compiler.stop());
  const log = new ProgramLog([COMPILER, ...programNames], progress);
  for (const stream of [compiler.child.stdout, compiler.child.stderr]) {
    if (stream) log.follow(COMPILER, stream);
  }
}
