import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';

const DEADLINE_MS = 3000;

/** Signs in to a Redis and pings it; rejects with what it, or the way there, says against that. */
export async function pingRedis(url: string): Promise<void> {
  const { protocol, hostname, port, username, password } = new URL(url);
  const target = { host: hostname.replaceAll(/[[\]]/g, ''), port: Number(port || 6379) };
  const socket = protocol === 'rediss:' ? connectSecurely(target) : connect(target);
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

/** One command in the form in which Redis takes any argument. */
export function encodeCommand(parts: readonly string[]): string {
  const items = parts.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`);
  return `*${parts.length}\r\n${items.join('')}`;
}

/** A failed connection to a name with several addresses has a code and an empty message. */
function troubleOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}
