import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { encodeCommand, pingRedis } from './redis-server.js';

describe(pingRedis.name, () => {
  let server: Server;

  /** A server that sends these bytes to each connection and records the received bytes. */
  async function serverSaying(answer: string): Promise<{ port: number; heard: string[] }> {
    const heard: string[] = [];
    server = createServer((socket) => {
      socket.on('data', (chunk) => heard.push(String(chunk)));
      socket.end(answer);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return { port: typeof address === 'object' && address !== null ? address.port : 0, heard };
  }

  afterEach(() => void server.close());

  it('accepts a server that accepts the password and answers the ping', async () => {
    const { port } = await serverSaying('+OK\r\n+PONG\r\n');
    await expect(pingRedis(`redis://:se%20cret@127.0.0.1:${port}`)).resolves.toBeUndefined();
  });

  it('reports the error of a rejected password', async () => {
    const { port } = await serverSaying('-WRONGPASS invalid password\r\n-NOAUTH\r\n');
    await expect(pingRedis(`redis://:x@127.0.0.1:${port}`)).rejects.toThrow('WRONGPASS');
  });

  it('reports a connection that is closed without an answer', async () => {
    const { port } = await serverSaying('');
    await expect(pingRedis(`redis://127.0.0.1:${port}`)).rejects.toThrow('closed the connection');
  });

  it('reports a refused connection', async () => {
    const { port } = await serverSaying('');
    server.close();
    await once(server, 'close');
    await expect(pingRedis(`redis://127.0.0.1:${port}`)).rejects.toThrow('ECONNREFUSED');
  });
});

describe(encodeCommand.name, () => {
  it('counts bytes, not characters', () => {
    expect(encodeCommand(['AUTH', 'grün'])).toBe('*2\r\n$4\r\nAUTH\r\n$5\r\ngrün\r\n');
  });
});
