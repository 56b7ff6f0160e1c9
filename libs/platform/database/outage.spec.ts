import { once } from 'node:events';
import { type AddressInfo, type Server } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { isOutage } from '#platform/core';
import { createFakeServer } from '#test/fake-server';
import { Database } from './database.js';

/** Refuses every connection with an error code of PostgreSQL, like a server that starts or shuts down. */
async function startRefusing(code: string): Promise<Server> {
  const fields = ['SFATAL', 'VFATAL', `C${code}`, 'Mnot now'].map((field) => `${field}\0`).join('');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(fields.length + 5);
  const refusal = Buffer.concat([Buffer.from('E'), length, Buffer.from(`${fields}\0`)]);
  const server = createFakeServer((socket) => {
    socket.once('data', () => socket.end(refusal));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

describe(isOutage.name, () => {
  let server: Server;
  let database: Database;

  afterEach(async () => {
    await database.onApplicationShutdown();
    server.close();
  });

  it.each(['57P01', '57P02', '57P03', '57P05', '53300', '08006', '28P01', '28000', '3D000'])(
    'recognises the code %s of PostgreSQL, also through Prisma',
    async (code) => {
      server = await startRefusing(code);
      const { port } = server.address() as AddressInfo; // It listens on TCP.
      const url = `postgresql://u:p@127.0.0.1:${port}/d`;
      database = new Database({ url, poolSize: 1 });
      const throughPrisma = await database.prisma.realm.findFirst().catch((error) => error);
      expect(isOutage(throughPrisma)).toBe(true);
      const raw = await database.prisma.$queryRaw`SELECT 1`.catch((error) => error);
      expect(isOutage(raw)).toBe(true);
      const direct = await database.query('one', 'SELECT 1').catch((error) => error);
      expect(isOutage(direct)).toBe(true);
    },
  );
});
