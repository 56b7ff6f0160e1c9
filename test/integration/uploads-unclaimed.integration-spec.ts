import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AttachmentRepository, type FileStorage, RemoveUnclaimedUploads } from '#uploads';
import { createTestDatabase, type TestDatabase } from '../support/test-stores.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Remembers what was removed; nothing else is asked of it. */
class RemovingStorage implements FileStorage {
  readonly isFolder = false;
  readonly removed: string[] = [];

  store = () => Promise.reject(new Error('Nothing is stored here'));
  read = () => Promise.reject(new Error('Nothing is read here'));

  remove(key: string): Promise<void> {
    this.removed.push(key);
    return Promise.resolve();
  }
}

let stores: TestDatabase;

beforeAll(async () => {
  stores = await createTestDatabase();
});
afterAll(() => stores.drop());

/** An organisation with one account and one message. */
async function addRealm(subdomain: string) {
  const { prisma } = stores.database;
  const realm = await prisma.realm.create({ data: { subdomain, name: subdomain } });
  const email = `someone@${subdomain}.test`;
  const user = await prisma.user.create({
    data: {
      realmId: realm.id,
      deliveryEmail: email,
      email,
      fullName: 'Someone',
      role: 400,
      apiKeyHash: new Uint8Array(Buffer.from(subdomain.padEnd(32))),
      apiKeySealed: new Uint8Array(),
    },
  });
  const channel = await prisma.channel.create({ data: { realmId: realm.id, name: 'channel' } });
  const message = await prisma.message.create({
    data: { realmId: realm.id, senderId: user.id, channelId: channel.id, content: 'a link' },
  });
  return { realm, user, message };
}

type TestRealm = Awaited<ReturnType<typeof addRealm>>;

describe(RemoveUnclaimedUploads.name, () => {
  const now = Date.now();

  async function addFile(
    { realm, user }: TestRealm,
    pathId: string,
    sizeBytes: number,
    days: number,
  ) {
    const files = new AttachmentRepository(stores.database);
    const place = { realmId: realm.id, ownerId: user.id, pathId, sizeBytes };
    const file = { ...place, fileName: 'a', contentType: 'a/b', reservationId: null };
    const id = await files.add(file, 1000);
    if (typeof id === 'string') throw new Error(id);
    await stores.database.prisma.attachment.update({
      where: { id },
      data: { createdAt: new Date(now - days * DAY_MS) },
    });
    return id;
  }

  it('removes what is old and linked by no message, and gives back its room', async () => {
    const { prisma } = stores.database;
    const [one, other] = [await addRealm('one'), await addRealm('other')];
    const linked = await addFile(one, 'linked', 1, 40);
    await prisma.attachmentMessage.create({
      data: { attachmentId: linked, messageId: one.message.id },
    });
    await addFile(one, 'young', 10, 34);
    await addFile(one, 'old', 100, 36);
    await addFile(one, 'older', 1000, 400);
    await addFile(other, 'others', 10_000, 36);
    const storage = new RemovingStorage();
    const sut = new RemoveUnclaimedUploads(
      new AttachmentRepository(stores.database),
      storage,
      () => now,
    );
    expect(await sut.execute(new Date(now - 35 * DAY_MS))).toBe(3);
    expect(storage.removed.toSorted()).toEqual(['old', 'older', 'others']);
    const left = await prisma.attachment.findMany({ orderBy: { id: 'asc' } });
    expect(left.map(({ pathId }) => pathId)).toEqual(['linked', 'young']);
    const realms = await prisma.realm.findMany({ orderBy: { id: 'asc' } });
    expect(realms.map(({ uploadedBytes }) => uploadedBytes)).toEqual([11n, 0n]);
    expect(await sut.execute(new Date(now - 35 * DAY_MS))).toBe(0);
  });

  it('removes more than it takes at once', async () => {
    const realm = await addRealm('many');
    for (let file = 0; file < 205; file += 1) await addFile(realm, `many-${file}`, 1, 36);
    const storage = new RemovingStorage();
    const files = new AttachmentRepository(stores.database);
    const sut = new RemoveUnclaimedUploads(files, storage, () => now);
    expect(await sut.execute(new Date(now - 35 * DAY_MS))).toBe(205);
    expect(new Set(storage.removed).size).toBe(205);
  });
});
