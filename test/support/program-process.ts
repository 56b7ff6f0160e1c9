import { closeSync, openSync } from 'node:fs';
import { childEnvironment, readTestStoresConfig } from '#platform/config';
import { OwnProcess } from '../../deploy/local/own-process.js';
import type { programNames } from '../../deploy/local/programs.js';

const STOP_GRACE_MS = 10_000;
const DATABASE_PROBE = './dist/test/support/database-probe.js';
const COST_PROBE = './dist/test/support/cost-probe.js';
/** Most programs of tests run for seconds: the optimising compiler costs a quarter of the CPU time of such a start. */
const SHORT_RUN_ARGS = ['--no-opt'];

export type ProgramName = (typeof programNames)[number];

/** The environment of one run of a program. */
export type Environment = Readonly<Record<string, string>>;

interface StartOptions {
  /**
   * Loads probes: messages to the program count its SQL statements and make them fail (`database-probe.ts`), and measure
   * its cost (`cost-probe.ts`).
   */
  readonly hasProbe?: boolean;
  /** Whether V8 optimises the code as in production, for measurements; by default only in long runs. */
  readonly isOptimised?: boolean;
  /** The flags of Node of an optimised program, as in production. */
  readonly nodeArgs?: readonly string[];
  /** The folder of the built release; by default this one. */
  readonly root?: string;
}

/** Starts a built program and appends its log to a file. */
export function startProgram(
  name: ProgramName,
  environment: Environment,
  logFile: string,
  {
    hasProbe = false,
    isOptimised = readTestStoresConfig().isLong,
    nodeArgs = [],
    root = process.cwd(),
  }: StartOptions = {},
): OwnProcess {
  const log = openSync(logFile, 'a', 0o600);
  const main = `dist/apps/${name}/src/main.js`;
  const started = new OwnProcess({
    command: process.execPath,
    args: [
      isOptimised ? nodeArgs : SHORT_RUN_ARGS,
      hasProbe ? ['--import', DATABASE_PROBE, '--import', COST_PROBE] : [],
      main,
    ].flat(),
    cwd: root,
    env: childEnvironment(environment),
    stdio: ['ignore', log, log, ...(hasProbe ? (['ipc'] as const) : [])],
    stopSignal: 'SIGTERM',
    graceMs: STOP_GRACE_MS,
  });
  closeSync(log);
  return started;
}
