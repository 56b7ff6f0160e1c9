import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { type ClientHttp2Session, connect, createServer } from 'node:http2';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openStream } from './open-session.js';

describe(openStream.name, () => {
  const server = createServer();
  let session: ClientHttp2Session;

  beforeAll(async () => {
    server.on('stream', (stream) => stream.respond({ ':status': 204 }, { endStream: true }));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await once(session, 'remoteSettings');
  });
  afterAll(async () => {
    session.close();
    server.close();
    await once(server, 'close');
  });

  it('opens a stream like Node', async () => {
    const stream = openStream(session, { ':path': '/' });
    const [headers] = (await once(stream.end(), 'response')) as [Record<string, unknown>];
    expect(headers[':status']).toBe(204);
  });

  it('rethrows the errors of Node', () => {
    expect(() => openStream(session, { ':nonsense': '' })).toThrow(':nonsense');
  });

  it('does not change functions that other code binds', () => {
    const bound = new AsyncResource('Test').bind((_said: string) => undefined);
    expect(bound).toHaveLength(1);
  });

  it('runs a function that is bound during the call in its own async context', () => {
    const storage = new AsyncLocalStorage<string>();
    let bound = (): string | undefined => undefined;
    const request = () => {
      bound = new AsyncResource('Test').bind(() => storage.getStore());
      throw new Error('there is no stream');
    };
    storage.run('there', () => expect(() => openStream({ request }, {})).toThrow('no stream'));
    expect(Object.getOwnPropertyNames(bound)).not.toContain('asyncResource');
    expect(storage.run('here', bound)).toBe('there');
  });
});
