import { closeSync, openSync } from 'node:fs';
import { childEnvironment } from '#platform/config';
import { OwnProcess } from '../../deploy/local/own-process.js';

const STOP_GRACE_MS = 10_000;
const DATABASE_PROBE = './dist/test/support/database-probe.js';
const COST_PROBE = './dist/test/support/cost-probe.js';

export type ProgramName = 'push-sandbox' | 'presence' | 'push-worker' | 'api-gateway';

/** The environment of one run of a program. */
export type Environment = Readonly<Record<string, string>>;

/**
 * Starts a program that was built in `root` and appends its log to a file. With probes, messages to the program count its SQL statements
 * and make them fail (`database-probe.ts`), and measure its cost (`cost-probe.ts`).
 */
export function startProgram(
  name: ProgramName,
  environment: Environment,
  logFile: string,
  { hasProbe = false, root = process.cwd() } = {},
): OwnProcess {
  const log = openSync(logFile, 'a', 0o600);
  const main = `dist/apps/${name}/src/main.js`;
  const started = new OwnProcess({
    command: process.execPath,
    args: hasProbe ? ['--import', DATABASE_PROBE, '--import', COST_PROBE, main] : [main],
    cwd: root,
    env: childEnvironment(environment),
    stdio: ['ignore', log, log, ...(hasProbe ? (['ipc'] as const) : [])],
    stopSignal: 'SIGTERM',
    graceMs: STOP_GRACE_MS,
  });
  closeSync(log);
  return started;
}
