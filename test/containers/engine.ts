import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { styleText } from 'node:util';
import { afterEach, beforeEach, expect } from '@jest/globals';
import { childEnvironment, readContainersTestConfig } from '#platform/config';

/** The name of the installation with Docker Compose, of which there is one at a time. */
export const PROJECT = 'carillon-test';

/** Says so if there is no engine: then the tests are skipped. */
export function hasEngine(): boolean {
  const { status, stderr, error } = spawnSync('docker', ['compose', 'ls'], { encoding: 'utf8' });
  if (status === 0) return true;
  const [reason = ''] = (error?.message ?? stderr).trim().split('\n');
  process.stderr.write(`Skipped: there is no container engine (docker compose: ${reason})\n`);
  return false;
}

export const hasKubectl =
  spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore', timeout: 20_000 }).status === 0;

/** The image of CONTAINERS_VERSION, or the newest one of the project; undefined without an engine or an image. */
export function builtImage(): string | undefined {
  const { version } = readContainersTestConfig();
  const name = version === undefined ? 'carillon' : `carillon:${version}`;
  const words = ['image', 'ls', name, '--format', '{{.Repository}}:{{.Tag}}'];
  const { stdout } = spawnSync('docker', words, { encoding: 'utf8' });
  return stdout?.split('\n')[0] || undefined;
}

/** Shows each test of the file at its end, because a file takes many minutes. */
export function showProgress(): void {
  let beganAt = 0;
  beforeEach(() => {
    beganAt = performance.now();
  });
  afterEach(() => {
    const seconds = ((performance.now() - beganAt) / 1000).toFixed(1);
    const { currentTestName = '' } = expect.getState();
    process.stderr.write(`  ${currentTestName} (${seconds} s)\n`);
  });
}

interface RunOptions {
  readonly folder?: string;
  /** Shown while it runs; by default it is not shown. */
  readonly title?: string;
}

/** Runs commands of a shell, and resolves with their output. Rejects with everything they printed if one fails. */
export async function runShell(commands: string, { folder, title }: RunOptions = {}) {
  const beganAt = performance.now();
  const child = spawn('bash', ['-euo', 'pipefail', '-c', commands], {
    cwd: folder,
    env: childEnvironment({ COMPOSE_PROJECT_NAME: PROJECT, COMPOSE_PROGRESS: 'plain' }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await ended) as [number | null];
  const seconds = ((performance.now() - beganAt) / 1000).toFixed(1);
  if (title !== undefined) {
    const sign = code === 0 ? styleText('green', '✔') : styleText('red', '✖');
    process.stderr.write(`    ${sign} ${title} (${seconds} s)\n`);
  }
  if (code !== 0) throw new Error(`${commands}\nended with ${code}:\n${output}${errors}`);
  return output;
}

export const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** Runs `docker` with these words; resolves with its output without the last line break. */
export const docker = async (...words: readonly string[]): Promise<string> =>
  (await runShell(['docker', ...words].map(quoted).join(' '))).trimEnd();
