import { spawnSync } from 'node:child_process';
import { childEnvironment } from '#config';
import { LocalStackError, type Progress } from './command.js';
import { canDownloadRedis, downloadedRedis, downloadRedis } from './redis-download.js';

/** A program of this machine, or one that was downloaded. */
export interface NativeRedis {
  readonly kind: 'native';
  readonly command: string;
  /** What it needs in its environment besides ours. */
  readonly environment: Readonly<Record<string, string>>;
  readonly title: string;
}

/** What runs our Redis: a program, or a container. */
export type RedisProgram =
  NativeRedis | { readonly kind: 'docker'; readonly image: string; readonly title: string };

const LEAST_MAJOR = 7;
const IMAGE = 'redis:7-alpine';
const PROGRAMS = ['redis-server', 'valkey-server'];

/**
 * Decides on what to run: a program of this machine, or one that is downloaded with apt-get into the project, or a
 * container. Nothing is installed.
 */
export async function findRedisProgram(root: string, progress: Progress): Promise<RedisProgram> {
  const tooOld: string[] = [];
  const native = findNative(tooOld);
  if (native) return native;
  const earlier = findDownloaded(root, tooOld);
  if (earlier) return earlier;
  if (canDownloadRedis()) {
    await progress
      .step('Downloading Redis with apt-get into node_modules/.cache', () => downloadRedis(root))
      .catch((error: Error) => progress.print(`  ${error.message}`));
    const downloaded = findDownloaded(root, tooOld);
    if (downloaded) return downloaded;
  }
  if (isDockerThere()) return { kind: 'docker', image: IMAGE, title: `Redis (${IMAGE})` };
  throw new LocalStackError(
    [
      tooOld.length > 0
        ? `This machine has ${tooOld.join(' and ')}; Redis ${LEAST_MAJOR} or newer is needed.`
        : 'There is no Redis on this machine, and none could be downloaded.',
      'Any one of these will do:',
      `  install Redis ${LEAST_MAJOR} or newer, or Valkey (the program redis-server or valkey-server; it need not run)`,
      '  start Docker',
      '  set REDIS_URL to a Redis of yours',
    ].join('\n'),
  );
}

function findNative(tooOld: string[]): NativeRedis | undefined {
  for (const command of PROGRAMS) {
    const name = command === 'redis-server' ? 'Redis' : 'Valkey';
    const found = recentEnough(name, { command, environment: {} }, tooOld);
    if (found) return found;
  }
  return undefined;
}

const findDownloaded = (root: string, tooOld: string[]): NativeRedis | undefined =>
  recentEnough('Redis', downloadedRedis(root), tooOld);

function recentEnough(
  name: string,
  program: Pick<NativeRedis, 'command' | 'environment'>,
  tooOld: string[],
): NativeRedis | undefined {
  const version = findVersion(program);
  if (version === undefined) return undefined;
  const title = `${name} ${version}`;
  if (Number.parseInt(version, 10) >= LEAST_MAJOR) return { kind: 'native', ...program, title };
  if (!tooOld.includes(title)) tooOld.push(title);
  return undefined;
}

function findVersion({ command, environment }: Pick<NativeRedis, 'command' | 'environment'>) {
  const { stdout } = spawnSync(command, ['--version'], {
    encoding: 'utf8',
    env: childEnvironment(environment),
  });
  return redisVersionIn(stdout ?? '');
}

/** The version in what `redis-server --version` or `valkey-server --version` prints. */
export function redisVersionIn(text: string): string | undefined {
  return /\bv=(\d+(?:\.\d+)*)/.exec(text)?.[1];
}

function isDockerThere(): boolean {
  return spawnSync('docker', ['info'], { stdio: 'ignore', timeout: 10_000 }).status === 0;
}
