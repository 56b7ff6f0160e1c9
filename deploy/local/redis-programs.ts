import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { childEnvironment } from '#platform/config';
import { LocalStackError, type Progress } from './command.js';
import { OwnProcess } from './own-process.js';

/** An installed or downloaded program. */
export interface NativeRedis {
  readonly kind: 'native';
  readonly command: string;
  /** Additional environment variables. */
  readonly environment: Readonly<Record<string, string>>;
  readonly title: string;
}

/** A program or a container for Redis. */
export type RedisProgram =
  NativeRedis | { readonly kind: 'docker'; readonly image: string; readonly title: string };

const MIN_MAJOR = 7;
const IMAGE = 'redis:7-alpine';
const PROGRAMS = ['redis-server', 'valkey-server'];

/**
 * Selects an installed program, or a program that is downloaded with apt-get into the project, or a container. Nothing is
 * installed.
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
        ? `This machine has ${tooOld.join(' and ')}; Redis ${MIN_MAJOR} or newer is needed.`
        : 'There is no Redis on this machine, and none could be downloaded.',
      'Any one of these will do:',
      `  install Redis ${MIN_MAJOR} or newer, or Valkey (the program redis-server or valkey-server; it need not run)`,
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
  if (Number.parseInt(version, 10) >= MIN_MAJOR) return { kind: 'native', ...program, title };
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

/** The version in the output of `redis-server --version` or `valkey-server --version`. */
export function redisVersionIn(text: string): string | undefined {
  return /\bv=(\d+(?:\.\d+)*)/.exec(text)?.[1];
}

function isDockerThere(): boolean {
  return spawnSync('docker', ['info'], { stdio: 'ignore', timeout: 10_000 }).status === 0;
}

/** The packages of the server and its command line. */
const PACKAGES = ['redis-server', 'redis-tools'];

/** A Redis in a folder of this project, with missing libraries. */
interface DownloadedRedis {
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** The paths of the downloaded Redis, also before the download. */
function downloadedRedis(root: string): DownloadedRedis {
  const folder = folderIn(root);
  const libraries = ['usr/lib', 'lib']
    .map((name) => path.join(folder, name))
    .filter((parent) => existsSync(parent))
    .flatMap((parent) => readdirSync(parent).map((name) => path.join(parent, name)))
    .filter((found) => path.basename(found).includes('-linux-'));
  return {
    command: path.join(folder, 'usr/bin/redis-server'),
    environment: libraries.length === 0 ? {} : { LD_LIBRARY_PATH: libraries.join(':') },
  };
}

/** Whether this is Debian or a derivative. Root is not required. */
const canDownloadRedis = (): boolean =>
  process.platform === 'linux' &&
  ['apt-get', 'dpkg-deb'].every((command) => ask(command, '--version').status === 0);

const ask = (command: string, question: string) =>
  spawnSync(command, [question], { encoding: 'utf8', env: childEnvironment({}) });

/**
 * Downloads the packages and unpacks them into a folder of this project. Nothing is installed: apt-get also keeps its lists
 * and packages in that folder, and runs no hooks of the machine. Rejects with LocalStackError.
 */
async function downloadRedis(root: string): Promise<void> {
  const folder = folderIn(root);
  // Under a temporary name first, so that an interrupted download is not used.
  const draft = `${folder}.${process.pid}`;
  const apt = path.join(draft, 'apt');
  try {
    for (const name of ['lists/partial', 'cache/archives/partial', 'parts', 'packages']) {
      mkdirSync(path.join(apt, name), { recursive: true });
    }
    const configuration = path.join(apt, 'apt.conf');
    writeFileSync(configuration, aptConfiguration(apt), { mode: 0o600 });
    const environment = { APT_CONFIG: configuration };
    const packages = path.join(apt, 'packages');
    await run('apt-get', ['update', '-qq'], apt, environment);
    const plan = ['install', '--simulate', '--no-install-recommends', ...PACKAGES];
    const lacking = namesIn(await run('apt-get', plan, apt, environment));
    const wanted = [...new Set([...PACKAGES, ...lacking])];
    await run('apt-get', ['download', '-qq', ...wanted], packages, environment);
    for (const file of readdirSync(packages)) {
      await run('dpkg-deb', ['--extract', path.join(packages, file), draft], apt, {});
    }
    rmSync(apt, { recursive: true });
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

const folderIn = (root: string): string => path.join(root, 'node_modules/.cache/carillon/redis');

/** Only the settings of this machine for the download of packages. */
function aptConfiguration(folder: string): string {
  const { stdout } = ask('apt-config', 'dump');
  const fetching = (stdout ?? '').split('\n').filter((line) => line.startsWith('Acquire::'));
  return [
    ...fetching,
    `Dir::Etc::parts "${path.join(folder, 'parts')}";`,
    `Dir::Etc::main "${path.join(folder, 'none')}";`,
    `Dir::State::lists "${path.join(folder, 'lists')}";`,
    `Dir::Cache "${path.join(folder, 'cache')}";`,
    'Debug::NoLocking "true";',
    // The download account of apt-get cannot enter this folder.
    'APT::Sandbox::User "root";',
    '',
  ].join('\n');
}

/** The packages that a simulated installation would install. */
const namesIn = (simulation: string): string[] =>
  [...simulation.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name ?? '');

async function run(
  command: string,
  args: string[],
  cwd: string,
  environment: Record<string, string>,
): Promise<string> {
  let output = '';
  const program = new OwnProcess({
    command,
    args,
    cwd,
    env: childEnvironment({ ...environment, LC_ALL: 'C' }),
    stdio: ['ignore', 'pipe', 'pipe'],
    stopSignal: 'SIGTERM',
    graceMs: 10_000,
  });
  for (const stream of [program.child.stdout, program.child.stderr]) {
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const how = await program.ended;
  if (how === 'code 0') return output;
  const end = output.trim().split('\n').slice(-5).join('\n    ');
  throw new LocalStackError(`${command} ${args[0]} failed (${how}):\n    ${end}`);
}
