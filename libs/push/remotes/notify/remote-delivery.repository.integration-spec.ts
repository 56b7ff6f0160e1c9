import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '#test/test-stores';
import { RemoteDeviceRepository } from '../devices/remote-device.repository.js';
import { RemoteDeliveryRepository } from './remote-delivery.repository.js';

const LEASE_MS = 30_000;

let stores: TestDatabase;
let sut: RemoteDeliveryRepository;

beforeAll(async () => {
  stores = await createTestDatabase();
  const devices = new RemoteDeviceRepository(stores.database);
  sut = new RemoteDeliveryRepository(stores.database, devices, LEASE_MS);
});
afterAll(() => stores.drop());

async function accept(): Promise<number> {
  const { prisma } = stores.database;
  const server = await prisma.remoteServer.create({
    data: {
      uuid: randomUUID(),
      keyHash: randomBytes(32),
      hostname: `${randomUUID()}.test`,
      contactEmail: 'a@b.test',
    },
  });
  const device = await prisma.remoteDevice.create({
    data: {
      serverId: server.id,
      platform: 'fcm',
      token: randomUUID(),
      tokenDigest: randomBytes(32),
      userUuid: randomUUID(),
    },
  });
  const delivery = {
    deviceId: device.id,
    platform: 'fcm' as const,
    sealed: Buffer.from('sealed'),
    expiresAt: new Date(Date.now() + 60_000),
  };
  const [accepted] = await sut.accept(server.id, [delivery]);
  return accepted?.id ?? 0;
}

describe('A claim', () => {
  it('leases a delivery to one of two jobs, also in the same statement', async () => {
    const id = await accept();
    const claims = (await Promise.all([sut.claim([id]), sut.claim([id])])).flat();
    expect(claims).toMatchObject([{ isLeased: true }, { isLeased: false, sealed: null }]);
    const [, second] = claims;
    expect(second?.dueAt).toBe((second?.readAt ?? 0) + LEASE_MS);
    expect(await sut.claim([id])).toMatchObject([{ isLeased: false }]);
  });
});
