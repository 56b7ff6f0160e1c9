import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { childEnvironment } from '#config';
import { errorText } from '#core';
import { LocalStackError } from './command.js';
import { endLeftover } from './other-processes.js';
import { notedPort, rememberedPort } from './ports.js';
import { type PrivateServer, type ServerOptions, startServer } from './private-server.js';
import { pingRedis } from './redis-ping.js';
import { findRedisProgram, type RedisProgram } from './redis-programs.js';
import { rememberedSecret } from './secrets.js';

const STOP_GRACE_MS = 10_000;
const START_DEADLINE_MS = 60_000;
/** Docker may have to fetch the image first. */
const DOCKER_DEADLINE_MS = 300_000;

interface Place {
  readonly home: string;
  readonly port: number;
  readonly password: string;
  readonly isThrowaway: boolean;
}

/** Starts a Redis of our own: on loopback only, behind a random password. */
export async function startRedis(options: ServerOptions): Promise<PrivateServer> {
  const { folder: home, isThrowaway } = options;
  const program = await findRedisProgram(options.root, options.progress);
  mkdirSync(path.join(home, 'data'), { recursive: true });
  // It holds what everyone has stored, and whoever passes through the folders above may not read it.
  chmodSync(home, 0o700);
  const portFile = path.join(home, 'port');
  // Redis shows its address as its command line.
  const mark = `-server 127.0.0.1:${notedPort(portFile)}`;
  await endLeftover(path.join(home, 'redis.pid'), mark, 'SIGTERM');
  const port = await rememberedPort(portFile);
  const password = rememberedSecret(path.join(home, 'password'), 'base64url');
  // The user is named since not every client takes an address without one.
  const url = `redis://default:${password}@127.0.0.1:${port}`;

  const isDocker = program.kind === 'docker';
  const server = await startServer({
    name: program.title,
    ...commandFor(program, { home, port, password, isThrowaway }),
    cwd: home,
    env: childEnvironment(program.kind === 'native' ? program.environment : {}),
    home,
    stopSignal: 'SIGTERM',
    graceMs: STOP_GRACE_MS,
    isReady: () => isAnswering(url),
    deadlineMs: isDocker ? DOCKER_DEADLINE_MS : START_DEADLINE_MS,
  });
  return { url, title: `${program.title} on port ${port}`, stop: () => server.stop() };
}

/** The configuration goes in through the standard input, so that no list of processes shows the password. */
function commandFor(
  program: RedisProgram,
  place: Place,
): { command: string; args: string[]; input: string } {
  if (program.kind === 'native') {
    const { home, port } = place;
    const data = path.join(home, 'data');
    const own = [`bind 127.0.0.1`, `port ${port}`, `dir ${quoted(data)}`];
    const pidFile = `pidfile ${quoted(path.join(home, 'redis.pid'))}`;
    const input = configuration([...own, pidFile], place);
    return { command: program.command, args: ['-'], input };
  }
  const name = `carillon-redis-${createHash('sha256').update(place.home).digest('hex').slice(0, 12)}`;
  // One that an earlier launcher left behind.
  spawnSync('docker', ['rm', '--force', name], { stdio: 'ignore' });
  const volume = place.isThrowaway ? [] : ['--volume', `${name}:/data`];
  const published = ['--publish', `127.0.0.1:${place.port}:6379`];
  return {
    command: 'docker',
    args: [
      ['run', '--rm', '--interactive', '--name', name],
      published,
      volume,
      [program.image, 'redis-server', '-'],
    ].flat(),
    input: configuration(['bind 0.0.0.0', 'port 6379', 'dir /data'], place),
  };
}

function configuration(own: readonly string[], { password, isThrowaway }: Place): string {
  const shared = [
    `requirepass ${password}`,
    `appendonly ${isThrowaway ? 'no' : 'yes'}`,
    'save ""',
    // Queues and presence are state, not a cache: refuse a write rather than forget another.
    'maxmemory-policy noeviction',
    'daemonize no',
  ];
  return `${[...own, ...shared].join('\n')}\n`;
}

const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

async function isAnswering(url: string): Promise<boolean> {
  try {
    await pingRedis(url);
    return true;
  } catch {
    return false;
  }
}

/** Rejects with LocalStackError, which never shows a password, when the given server does not answer. */
export async function assertRedisAnswers(url: string): Promise<void> {
  try {
    await pingRedis(url);
  } catch (error) {
    const trouble = errorText(error);
    throw new LocalStackError(
      `REDIS_URL is set, but Redis at ${new URL(url).host} does not take us: ${trouble}\n` +
        'Start it, correct the address, or unset REDIS_URL to have one started for you.',
    );
  }
}
