import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-stores.js';
import { AttachmentRepository } from '../attachment.repository.js';
import { UploadReservationRepository } from './upload-reservation.repository.js';

const MEBIBYTE = 1_048_576;
const LIMITS = { uploads: 100, bytes: 100 * MEBIBYTE };

let stores: TestDatabase;
let sut: UploadReservationRepository;
let files: AttachmentRepository;
let realmId: number;
let userId: number;
let count = 0;

beforeAll(async () => {
  stores = await createTestDatabase();
  sut = new UploadReservationRepository(stores.database);
  files = new AttachmentRepository(stores.database);
});
afterAll(() => stores?.drop());

beforeEach(async () => {
  count += 1;
  const { prisma } = stores.database;
  const name = `realm${count}`;
  const realm = await prisma.realm.create({ data: { subdomain: name, name, uploadQuotaMib: 1 } });
  realmId = realm.id;
  const user = await prisma.user.create({
    data: {
      realmId,
      deliveryEmail: `${name}@chat.test`,
      email: `${name}@chat.test`,
      fullName: 'Someone',
      role: 400,
      apiKeyHash: new Uint8Array(Buffer.from(name.padEnd(32))),
      apiKeySealed: new Uint8Array(),
    },
  });
  userId = user.id;
});

const reserve = (id: string, sizeBytes: number, silenceMs = 60_000) =>
  sut.reserve({ id: `${realmId}-${id}`, realmId, userId, sizeBytes, silenceMs }, LIMITS);

const keep = (id: string | null, sizeBytes: number) =>
  files.add(
    {
      realmId,
      ownerId: userId,
      pathId: `${realmId}/${Math.random()}`,
      fileName: 'a',
      contentType: 'a/b',
      sizeBytes,
      reservationId: id === null ? null : `${realmId}-${id}`,
    },
    1000,
  );

async function uploadedBytes(): Promise<number> {
  const realm = await stores.database.prisma.realm.findUniqueOrThrow({ where: { id: realmId } });
  return Number(realm.uploadedBytes);
}

describe(UploadReservationRepository.name, () => {
  it('passes its room to the file that is kept, also when the quota is used up', async () => {
    expect(await reserve('a', MEBIBYTE)).toBeNull();
    expect(await reserve('b', 1)).toBe('no room');
    expect(await keep(null, 1)).toBe('no room');
    expect(await keep('a', MEBIBYTE)).toEqual(expect.any(Number));
    expect(await uploadedBytes()).toBe(MEBIBYTE);
    await sut.release(`${realmId}-a`);
    expect(await uploadedBytes()).toBe(MEBIBYTE);
  });

  it('gives its room back once, however often it is released', async () => {
    await reserve('a', 1000);
    await reserve('b', 10);
    await Promise.all(Array.from({ length: 20 }, () => sut.release(`${realmId}-a`)));
    expect(await uploadedBytes()).toBe(10);
  });

  it('gives its room back once when it expires while its file is kept', async () => {
    await reserve('a', 1000, -1000);
    const [kept] = await Promise.all([
      keep('a', 1000),
      sut.releaseExpired(100),
      sut.releaseExpired(100),
      sut.release(`${realmId}-a`),
    ]);
    expect(kept).toEqual(expect.any(Number));
    expect(await uploadedBytes()).toBe(1000);
  });

  it('is taken back from a gateway that is gone, and not from one that goes on', async () => {
    await reserve('gone', 1000, -1000);
    await reserve('going on', 10, -1000);
    await sut.prolong(`${realmId}-going on`, 60_000);
    expect(await sut.releaseExpired(100)).toEqual([`${realmId}-gone`]);
    expect(await uploadedBytes()).toBe(10);
    expect(await sut.releaseExpired(100)).toEqual([]);
  });
});
