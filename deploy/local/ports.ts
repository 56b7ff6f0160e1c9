import { randomInt } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { commandLineOf } from './other-processes.js';

/** Below the ephemeral ports of common systems. */
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

/** The port in this file. */
export function readPort(file: string): number | undefined {
  const port = existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined;
  return Number.isInteger(port) ? port : undefined;
}

/** The port in this file if it is free; otherwise a free port, which is written to the file. */
export async function rememberedPort(file: string): Promise<number> {
  let port = readPort(file);
  while (port === undefined || !(await isPortFree(port))) {
    port = randomInt(FIRST_PORT, LAST_PORT + 1);
  }
  writeFileSync(file, `${port}\n`);
  return port;
}

/** The process that listens on a port, as `process 12 (node server.js)`; undefined if unknown. */
export function listenerOn(port: number): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const inodes = listeningInodes(port);
  const pid = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .find((name) => openSockets(name).some((inode) => inodes.has(inode)));
  if (pid === undefined) return undefined;
  return `process ${pid} (${commandLineOf(Number(pid)).slice(0, 80)})`;
}

/** The inodes of the sockets that listen on a port. */
function listeningInodes(port: number): Set<string> {
  const address = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const isListening = '0A';
  const rows = ['/proc/net/tcp', '/proc/net/tcp6']
    .filter((file) => existsSync(file))
    .flatMap((file) => readFileSync(file, 'utf8').split('\n'))
    .map((line) => line.trim().split(/\s+/));
  const found = rows.filter(
    ([, local, , state]) => local?.endsWith(address) && state === isListening,
  );
  return new Set(found.map((row) => row[9] ?? ''));
}

function openSockets(pid: string): string[] {
  return readOr(() => readdirSync(`/proc/${pid}/fd`), [])
    .map((fd) => readOr(() => readlinkSync(`/proc/${pid}/fd/${fd}`), ''))
    .filter((target) => target.startsWith('socket:['))
    .map((target) => target.slice('socket:['.length, -1));
}

/** Ignores errors of processes that have ended or belong to another user. */
function readOr<Result>(read: () => Result, otherwise: Result): Result {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
