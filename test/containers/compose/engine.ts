import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { styleText } from 'node:util';
import { afterEach, beforeEach, expect } from '@jest/globals';
import { childEnvironment } from '#platform/config';

export const PROJECT = 'carillon-test';

/** Says so if there is no engine: then the tests are skipped. */
export const hasEngine = ((): boolean => {
  const { status, stderr, error } = spawnSync('docker', ['compose', 'ls'], { encoding: 'utf8' });
  if (status === 0) return true;
  const [reason = ''] = (error?.message ?? stderr).trim().split('\n');
  process.stderr.write(`Skipped: there is no container engine (docker compose: ${reason})\n`);
  return false;
})();

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

/** Runs docker with these words. */
export const docker = (...words: readonly string[]): Promise<string> =>
  runShell(['docker', ...words].map(quoted).join(' '));

export const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

interface State {
  readonly Status: string;
  readonly ExitCode: number;
  readonly OOMKilled: boolean;
  readonly StartedAt: string;
  readonly Health?: { readonly Status: string };
}

interface HostConfig {
  readonly CapAdd: readonly string[] | null;
  readonly CapDrop: readonly string[] | null;
  readonly Memory: number;
  readonly PidsLimit: number;
  readonly ReadonlyRootfs: boolean;
  readonly SecurityOpt: readonly string[] | null;
  readonly Ulimits: readonly { readonly Name: string; readonly Hard: number }[];
  readonly LogConfig: { readonly Config: Readonly<Record<string, string>> };
}

/** What the engine says about a container. */
export interface Container {
  readonly Id: string;
  readonly Name: string;
  readonly RestartCount: number;
  readonly State: State;
  readonly HostConfig: HostConfig;
  readonly Config: {
    readonly Env: readonly string[];
    readonly Image: string;
    readonly Labels: Readonly<Record<string, string>>;
  };
  readonly Mounts: readonly { readonly Destination: string }[];
}

export const serviceOf = ({ Config: { Labels } }: Container): string =>
  Labels['com.docker.compose.service'] ?? '';

/** The containers of the test, also those that have ended. */
export async function containers(service?: string): Promise<Container[]> {
  const label = 'label=com.docker.compose.';
  const ofService = service === undefined ? [] : ['--filter', `${label}service=${service}`];
  const filters = ['--filter', `${label}project=${PROJECT}`, ...ofService];
  const ids = (await docker('ps', '--all', '--quiet', ...filters)).split('\n').filter(Boolean);
  if (ids.length === 0) return [];
  // The engine documents this shape.
  return JSON.parse(await docker('inspect', ...ids)) as Container[];
}

/** The containers that are not one-shot commands. */
export const lastingContainers = async (): Promise<Container[]> =>
  (await containers()).filter((one) => serviceOf(one) !== 'migrate');
