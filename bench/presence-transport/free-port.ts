import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { HOST } from './transport.js';

/** A port that is free at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, HOST);
  await once(server, 'listening');
  // A listening TCP server has an address of this form.
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}
