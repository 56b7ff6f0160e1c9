import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { childEnvironment } from '#config';
import { LocalStackError, type Progress } from './command.js';
import { OwnProcess } from './own-process.js';

/** What runs our Redis: a program of this machine, or a container. */
export type RedisProgram =
  | { readonly kind: 'native'; readonly command: string; readonly title: string }
  | { readonly kind: 'docker'; readonly image: string; readonly title: string };

const LEAST_MAJOR = 7;
const IMAGE = 'redis:7-alpine';
const PROGRAMS = ['redis-server', 'valkey-server'];

/** Decides on what to run; installs the distribution's package when root may and there is none. */
export async function findRedisProgram(progress: Progress): Promise<RedisProgram> {
  const tooOld: string[] = [];
  const native = findNative(tooOld);
  if (native) return native;
  if (tooOld.length === 0 && canInstall()) {
    await progress
      .step('Installing redis-server with apt-get, needed once', installWithApt)
      .catch((error: Error) => progress.print(`  ${error.message}`));
    const installed = findNative(tooOld);
    if (installed) return installed;
  }
  if (isDockerThere()) return { kind: 'docker', image: IMAGE, title: `Redis (${IMAGE})` };
  throw new LocalStackError(
    [
      tooOld.length > 0
        ? `This machine has ${tooOld.join(' and ')}; Redis ${LEAST_MAJOR} or newer is needed.`
        : 'There is no Redis on this machine, and none could be installed.',
      'Any one of these will do:',
      `  install Redis ${LEAST_MAJOR} or newer, or Valkey (the program redis-server or valkey-server; it need not run)`,
      '  start Docker',
      '  set REDIS_URL to a Redis of yours',
    ].join('\n'),
  );
}

function findNative(tooOld: string[]): RedisProgram | undefined {
  for (const command of PROGRAMS) {
    const { stdout } = spawnSync(command, ['--version'], { encoding: 'utf8' });
    const version = redisVersionIn(stdout ?? '');
    if (version === undefined) continue;
    const name = command === 'redis-server' ? 'Redis' : 'Valkey';
    const title = `${name} ${version}`;
    if (Number.parseInt(version, 10) >= LEAST_MAJOR) return { kind: 'native', command, title };
    if (!tooOld.includes(title)) tooOld.push(title);
  }
  return undefined;
}

/** The version in what `redis-server --version` or `valkey-server --version` prints. */
export function redisVersionIn(text: string): string | undefined {
  return /\bv=(\d+(?:\.\d+)*)/.exec(text)?.[1];
}

function canInstall(): boolean {
  return process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0;
}

function isDockerThere(): boolean {
  return spawnSync('docker', ['info'], { stdio: 'ignore', timeout: 10_000 }).status === 0;
}

/** Debian's hook that decides whether a package may start its service; 101 forbids it. */
const SERVICE_POLICY = '/usr/sbin/policy-rc.d';

/** Installs the package for its program alone: its service neither starts now nor at the next boot. */
async function installWithApt(): Promise<void> {
  const isPolicyOurs = !existsSync(SERVICE_POLICY);
  if (isPolicyOurs) writeFileSync(SERVICE_POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    await run('apt-get', ['update', '-qq']);
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'redis-server']);
  } finally {
    if (isPolicyOurs) rmSync(SERVICE_POLICY);
  }
  if (existsSync('/run/systemd/system')) {
    await run('systemctl', ['disable', '--now', 'redis-server.service']);
  }
}

async function run(command: string, args: string[]): Promise<void> {
  let output = '';
  const program = new OwnProcess({
    command,
    args,
    cwd: '/',
    env: childEnvironment({ DEBIAN_FRONTEND: 'noninteractive' }),
    stdio: ['ignore', 'pipe', 'pipe'],
    stopSignal: 'SIGTERM',
    graceMs: 10_000,
  });
  for (const stream of [program.child.stdout, program.child.stderr]) {
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const how = await program.ended;
  if (how === 'code 0') return;
  const end = output.trim().split('\n').slice(-5).join('\n    ');
  throw new LocalStackError(`${command} ${args[0]} failed (${how}):\n    ${end}`);
}
