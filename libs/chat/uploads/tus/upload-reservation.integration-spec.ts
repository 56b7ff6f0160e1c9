import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { MEBIBYTE } from '#platform/contracts';
import { useDatabase } from '#test/use-fixture';
import { AttachmentRepository } from '../attachment.repository.js';
import { UploadReservationRepository } from './upload-reservation.repository.js';

const LIMITS = { uploads: 100, bytes: 100 * MEBIBYTE };

const stores = useDatabase();
let sut: UploadReservationRepository;
let files: AttachmentRepository;
let realmId: number;
let userId: number;
let count = 0;

beforeAll(async () => {
  sut = new UploadReservationRepository(stores.database);
  files = new AttachmentRepository(stores.database);
});

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

const reserve = (id: string, sizeBytes: number, lifetimeMs = 60_000) =>
  sut.reserve({ id: `${realmId}-${id}`, realmId, userId, sizeBytes, lifetimeMs }, LIMITS);

const store = (id: string | null, sizeBytes: number) =>
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
  it('passes the quota to the stored file, also when the quota is used up', async () => {
    expect(await reserve('a', MEBIBYTE)).toBeNull();
    expect(await reserve('b', 1)).toBe('quota exceeded');
    expect(await store(null, 1)).toBe('quota exceeded');
    expect(await store('a', MEBIBYTE)).toEqual(expect.any(Number));
    expect(await uploadedBytes()).toBe(MEBIBYTE);
    await sut.release(`${realmId}-a`);
    expect(await uploadedBytes()).toBe(MEBIBYTE);
  });

  it('returns the quota once, for any number of releases', async () => {
    await reserve('a', 1000);
    await reserve('b', 10);
    await Promise.all(Array.from({ length: 20 }, () => sut.release(`${realmId}-a`)));
    expect(await uploadedBytes()).toBe(10);
  });

  it('returns the quota once when it expires while its file is stored', async () => {
    await reserve('a', 1000, -1000);
    const [stored] = await Promise.all([
      store('a', 1000),
      sut.releaseExpired(100),
      sut.releaseExpired(100),
      sut.release(`${realmId}-a`),
    ]);
    expect(stored).toEqual(expect.any(Number));
    expect(await uploadedBytes()).toBe(1000);
  });

  it('expires for a gateway that has crashed, and not for one that prolongs it', async () => {
    await reserve('crashed', 1000, -1000);
    await reserve('prolonged', 10, -1000);
    await sut.prolong(`${realmId}-prolonged`, 60_000);
    expect(await sut.releaseExpired(100)).toEqual([`${realmId}-crashed`]);
    expect(await uploadedBytes()).toBe(10);
    expect(await sut.releaseExpired(100)).toEqual([]);
  });
});
