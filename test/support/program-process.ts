import { closeSync, openSync } from 'node:fs';
import { childEnvironment } from '#config';
import { OwnProcess } from '../../deploy/local/own-process.js';

const STOP_GRACE_MS = 10_000;

export type ProgramName = 'push-sandbox' | 'presence' | 'push-worker' | 'api-gateway';

/** The environment of one run of a program. */
export type Environment = Readonly<Record<string, string>>;

/** Starts a program as it was built; what it logs is added to a file. */
export function startProgram(
  name: ProgramName,
  environment: Environment,
  logFile: string,
): OwnProcess {
  const log = openSync(logFile, 'a', 0o600);
  const started = new OwnProcess({
    command: process.execPath,
    args: ['--enable-source-maps', `dist/apps/${name}/src/main.js`],
    cwd: process.cwd(),
    env: childEnvironment(environment),
    stdio: ['ignore', log, log],
    stopSignal: 'SIGTERM',
    graceMs: STOP_GRACE_MS,
  });
  closeSync(log);
  return started;
}
