import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { connect as connectSecurely } from 'node:tls';
import { childEnvironment, redisAddress, sentinelAddress } from '#platform/config';
import { readRedisFacts, tlsOf } from '#platform/redis';
import { errorText } from '#platform/core';
import { LocalStackError } from './command.js';
import { endLeftover } from './other-processes.js';
import { readPort, rememberedPort } from './ports.js';
import {
  type PrivateServer,
  restartServer,
  type ServerOptions,
  type ServerPlan,
  startServer,
} from './private-server.js';
import { findRedisProgram, type RedisProgram } from './redis-programs.js';
import { rememberedSecret } from './secrets.js';

const STOP_GRACE_MS = 10_000;
const START_DEADLINE_MS = 60_000;
/** Docker may download the image first. */
const DOCKER_DEADLINE_MS = 300_000;

interface Place {
  readonly home: string;
  readonly port: number;
  readonly password: string;
  readonly isThrowaway: boolean;
}

/** Starts a private Redis on the loopback address, with a random password. */
export async function startRedis(options: ServerOptions): Promise<PrivateServer> {
  const { folder: home, isThrowaway } = options;
  const program = await findRedisProgram(options.root, options.progress);
  mkdirSync(path.join(home, 'data'), { recursive: true });
  // It contains the data of users; other accounts may enter the folders above.
  chmodSync(home, 0o700);
  const portFile = path.join(home, 'port');
  // Redis shows its address in its command line.
  const mark = `-server 127.0.0.1:${readPort(portFile)}`;
  await endLeftover(path.join(home, 'redis.pid'), mark, 'SIGTERM');
  const port = await rememberedPort(portFile);
  const password = rememberedSecret(path.join(home, 'password'), 'base64url');
  // With the user name: some clients reject a URL without it.
  const url = `redis://default:${password}@127.0.0.1:${port}`;

  const isDocker = program.kind === 'docker';
  const plan: ServerPlan = {
    name: program.title,
    ...commandFor(program, { home, port, password, isThrowaway }),
    cwd: home,
    env: childEnvironment(program.kind === 'native' ? program.environment : {}),
    home,
    stopSignal: 'SIGTERM',
    graceMs: STOP_GRACE_MS,
    isReady: () => isAnswering(url),
    deadlineMs: isDocker ? DOCKER_DEADLINE_MS : START_DEADLINE_MS,
  };
  const server = await startServer(plan);
  return {
    url,
    title: `${program.title} on port ${port}`,
    process: server,
    spawn: () => restartServer(plan),
    stop: () => server.stop(),
  };
}

/** The configuration is passed by the standard input, so that no process list shows the password. */
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
  // Removes the container of a killed launcher.
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
    // Queues and presence are state, not a cache: nothing is evicted.
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

/** Rejects with LocalStackError if the given server does not answer. The error never contains a password. */
export async function assertRedisAnswers(url: string): Promise<void> {
  try {
    if (sentinelAddress(url) === null) await pingRedis(url);
    else await readRedisFacts(url);
  } catch (error) {
    const trouble = errorText(error);
    // An address of several Sentinels is not a URL.
    const [, host = ''] = /\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(url) ?? [];
    throw new LocalStackError(
      `REDIS_URL is set, but Redis at ${host} does not take us: ${trouble}\n` +
        'Start it, correct the address, or unset REDIS_URL to have one started for you.',
    );
  }
}

const DEADLINE_MS = 3000;

/** Authenticates and pings a Redis; rejects with the error of Redis or of the connection. */
export async function pingRedis(url: string): Promise<void> {
  const { protocol, username, password } = new URL(url);
  const target = redisAddress(url);
  const socket =
    protocol === 'rediss:' ? connectSecurely({ ...target, ...tlsOf(url) }) : connect(target);
  socket.setTimeout(DEADLINE_MS, () => socket.destroy(new Error('no answer within 3 s')));
  const credentials = [username, password].filter((part) => part !== '').map(decodeURIComponent);
  const commands = credentials.length > 0 ? [['AUTH', ...credentials], ['PING']] : [['PING']];
  try {
    for (const command of commands) socket.write(encodeCommand(command));
    const lines = await readLines(socket, commands.length);
    const refusal = lines.find((line) => line.startsWith('-'));
    if (refusal !== undefined) throw new Error(refusal.slice(1));
  } catch (error) {
    throw new Error(troubleOf(error), { cause: error });
  } finally {
    socket.destroy();
  }
}

async function readLines(socket: Socket, count: number): Promise<string[]> {
  let answer = '';
  for await (const chunk of socket) {
    answer += String(chunk);
    const lines = answer.split('\r\n');
    if (lines.length > count) return lines.slice(0, count);
  }
  throw new Error('it closed the connection');
}

/** One command in the protocol of Redis. */
export function encodeCommand(parts: readonly string[]): string {
  const items = parts.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`);
  return `*${parts.length}\r\n${items.join('')}`;
}

/** A failed connection to a host with several addresses has a code and an empty message. */
function troubleOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}
