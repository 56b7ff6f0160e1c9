import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { checkAddresses } from './address-check.js';

describe(checkAddresses.name, () => {
  const LOOPBACK = 'http://127.0.0.1:9';

  /** The levels of the findings while a proxy gives this answer. */
  async function levelsWith(status: number, answer: string, externalUrl: string | null) {
    const server = createServer((_request, response) => response.writeHead(status).end(answer));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    // A server that listens on a port has such an address.
    const { port } = server.address() as AddressInfo;
    const found = await checkAddresses(externalUrl, `http://127.0.0.1:${port}`);
    server.close();
    return found.map(({ level }) => level);
  }

  it('finds a proxy without a ready gateway, and one that leads to another server', async () => {
    expect(await levelsWith(200, '{"status":"ok","failing":{}}', null)).toEqual(['ok']);
    expect(await levelsWith(503, '{"status":"failing"}', null)).toEqual(['problem']);
    expect(await levelsWith(200, '<html>', null)).toEqual(['problem']);
  });

  it('asks the address of clients, unless it is that of the container itself', async () => {
    expect(await checkAddresses(LOOPBACK, undefined)).toMatchObject([
      { part: `Address ${LOOPBACK}`, level: 'warning' },
    ]);
    expect(await levelsWith(200, '{"status":"ok"}', LOOPBACK)).toEqual(['ok']);
    expect(await levelsWith(200, '{"status":"ok"}', 'http://chat.invalid')).toEqual([
      'ok',
      'warning',
    ]);
    expect(await checkAddresses(null, undefined)).toEqual([]);
  });
});
