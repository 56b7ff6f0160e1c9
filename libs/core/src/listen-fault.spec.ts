import { createServer } from 'node:http';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { ConfigError } from '#config';
import { listenFault } from './listen-fault.js';

const listen = async (port: number, host: string) => {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  return server;
};

describe(listenFault.name, () => {
  it('names the variable of a port that is in use', async () => {
    const server = await listen(0, '127.0.0.1');
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const second = listen(port, '127.0.0.1').catch(listenFault('HOST', 'PORT'));
    await expect(second).rejects.toThrow(ConfigError);
    await expect(second).rejects.toThrow(/PORT: .*EADDRINUSE/);
    server.close();
  });

  it('names the variable of an address that is not of this machine', async () => {
    const fault = listen(0, '192.0.2.1').catch(listenFault('HOST', 'PORT'));
    await expect(fault).rejects.toThrow(/HOST: .*EADDRNOTAVAIL/);
  });

  it('leaves any other error as it is', () => {
    const error = new Error('another');
    expect(() => listenFault('HOST', 'PORT')(error)).toThrow(error);
  });
});
