import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs `docker`; resolves with its output, and rejects with its errors. */
export async function docker(...args: string[]): Promise<string> {
  const { stdout } = await run('docker', args, { maxBuffer: 64e6 });
  return stdout.trim();
}

const answers = (program: string, ...args: string[]): boolean =>
  spawnSync(program, args, { stdio: 'ignore', timeout: 20_000 }).status === 0;

/** The newest image of the project that the engine has, or undefined without an engine or an image. */
export function builtImage(): string | undefined {
  if (!answers('docker', 'version')) return undefined;
  const names = execFileSync(
    'docker',
    ['image', 'ls', 'carillon', '--format', '{{.Repository}}:{{.Tag}}'],
    { encoding: 'utf8' },
  );
  return names.split('\n')[0] || undefined;
}

export const hasKubectl = (): boolean => answers('kubectl', 'version', '--client');
