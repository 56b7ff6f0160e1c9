import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { childEnvironment } from '#config';
import { LocalStackError } from './command.js';
import { OwnProcess } from './own-process.js';

/** They hold the program and what it is started by, also on a machine that has them in another place. */
const PACKAGES = ['redis-server', 'redis-tools'];

/** A Redis that lies in a folder of this project, with the libraries that this machine lacks. */
export interface DownloadedRedis {
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Where the download is, or will be. */
export function downloadedRedis(root: string): DownloadedRedis {
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

/** Whether this is a Debian or one of its like. Nobody has to be root. */
export const canDownloadRedis = (): boolean =>
  process.platform === 'linux' &&
  ['apt-get', 'dpkg-deb'].every((command) => ask(command, '--version').status === 0);

const ask = (command: string, question: string) =>
  spawnSync(command, [question], { encoding: 'utf8', env: childEnvironment({}) });

/**
 * Downloads the packages and unpacks them into a folder of this project. The machine stays as it is: nothing is
 * installed, and apt-get keeps its lists and packages in that folder too, without the hooks of the machine. Rejects
 * with LocalStackError.
 */
export async function downloadRedis(root: string): Promise<void> {
  const folder = folderIn(root);
  // Under another name first, so that an interrupted download is never taken for a whole one.
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

/** The machine's own settings of where and how packages are fetched, and none that run anything or write elsewhere. */
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
    // The account that apt-get downloads as cannot enter this folder.
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
