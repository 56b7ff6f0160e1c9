import { randomInt } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { commandLineOf } from './other-processes.js';

/** Below the range from which systems take ports for outgoing connections, so that one stays free. */
const FIRST_PORT = 20_000;
const LAST_PORT = 29_999;

/** Whether a server could listen on this port of the loopback address. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      server.close(() => resolve(true));
    });
  });
}

/** The port noted in this file. */
export function notedPort(file: string): number | undefined {
  const port = existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined;
  return Number.isInteger(port) ? port : undefined;
}

/** The port noted in this file when it is free, else a free one, which is noted there. */
export async function rememberedPort(file: string): Promise<number> {
  let port = notedPort(file);
  while (port === undefined || !(await isPortFree(port))) {
    port = randomInt(FIRST_PORT, LAST_PORT + 1);
  }
  writeFileSync(file, `${port}\n`);
  return port;
}

/** Who listens on a port, as `process 12 (node server.js)`; undefined when this cannot be found out. */
export function listenerOn(port: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const inodes = listeningInodes(port);
  const pid = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .find((name) => openSockets(name).some((inode) => inodes.has(inode)));
  if (pid === undefined) return undefined;
  return `process ${pid} (${commandLineOf(Number(pid)).slice(0, 80)})`;
}

/** The sockets that listen on a port, by the numbers that the kernel gives them. */
function listeningInodes(port: number): Set<string> {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const isListening = '0A';
  const rows = ['/proc/net/tcp', '/proc/net/tcp6']
    .filter((file) => existsSync(file))
    .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
    .map((line) => line.trim().split(/\s+/));
  const found = rows.filter(
    ([, local, , state]) => local?.endsWith(wanted) && state === isListening,
  );
  return new Set(found.map((row) => row[9] ?? ''));
}

function openSockets(pid: string): string[] {
  return quietly(() => readdirSync(`/proc/${pid}/fd`), [])
    .map((fd) => quietly(() => readlinkSync(`/proc/${pid}/fd/${fd}`), ''))
    .filter((target) => target.startsWith('socket:['))
    .map((target) => target.slice('socket:['.length, -1));
}

/** For what belongs to another user, or has just gone. */
function quietly<Result>(read: () => Result, otherwise: Result): Result {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
