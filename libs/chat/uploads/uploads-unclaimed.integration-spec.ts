import { describe, expect, it } from '@jest/globals';
import { AttachmentEventRepository, AttachmentEvents } from '#chat/attachments';
import { EventLog, EventRepository, NO_EVENTS } from '#events/log';
import { Database } from '#platform/database';
import { rowsRead } from '#test/rows-read';
import { useDatabase } from '#test/use-fixture';
import { AttachmentRepository } from './attachment.repository.js';
import { AttachmentsService } from './attachments.service.js';
import { RemovedFileRepository } from './removed-file.repository.js';
import { type FileStorage, StorageUnavailable } from './storage/file-storage.js';
import { RemovingStorage } from './storage/removing-storage.fixture.js';
import { UnclaimedUploadsCleaner } from './unclaimed-uploads-cleaner.js';

const DAY_MS = 24 * 60 * 60 * 1000;

const stores = useDatabase();

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

/** A clean-up without events, on a storage. */
const cleanerOf = (storage: FileStorage) =>
  new UnclaimedUploadsCleaner(
    new AttachmentRepository(stores.database),
    new RemovedFileRepository(stores.database),
    storage,
  );

/** The files that the storage may still have. */
const noted = async (): Promise<string[]> => {
  const files = await stores.database.prisma.removedFile.findMany({ orderBy: { key: 'asc' } });
  return files.map(({ key }) => key);
};

const passAnHour = () =>
  stores.database.query('pass', `UPDATE removed_files SET due_at = due_at - interval '1 hour'`);

describe(UnclaimedUploadsCleaner.name, () => {
  const now = Date.now();

  async function addFile(
    { realm, user }: Awaited<ReturnType<typeof addRealm>>,
    pathId: string,
    sizeBytes: number,
    days: number,
  ) {
    const files = new AttachmentRepository(stores.database);
    const place = { realmId: realm.id, ownerId: user.id, pathId, sizeBytes };
    const file = { ...place, fileName: 'a', contentType: 'a/b', reservationId: null };
    const id = await files.add(file, 100_000);
    if (typeof id === 'string') throw new Error(id);
    await stores.database.prisma.attachment.update({
      where: { id },
      data: { createdAt: new Date(now - days * DAY_MS) },
    });
    return id;
  }

  it('removes old files without a link, and returns their quota', async () => {
    const { prisma } = stores.database;
    const [one, other] = [await addRealm('one'), await addRealm('other')];
    const linked = await addFile(one, 'linked', 1, 40);
    await prisma.attachmentMessage.create({
      data: { attachmentId: linked, messageId: one.message.id },
    });
    await addFile(one, 'young', 10, 34);
    const oldId = await addFile(one, 'old', 100, 36);
    const olderId = await addFile(one, 'older', 1000, 400);
    await addFile(other, 'others', 10_000, 36);
    const storage = new RemovingStorage();
    const { database } = stores;
    const events = new AttachmentEvents(
      new AttachmentEventRepository(),
      new EventLog(new EventRepository(database)),
    );
    const rows = new AttachmentsService(database, new AttachmentRepository(database), events);
    const sut = new UnclaimedUploadsCleaner(rows, new RemovedFileRepository(database), storage);
    await sut.clean();
    expect(storage.removed.toSorted()).toEqual(['old', 'older', 'others']);
    const left = await prisma.attachment.findMany({ orderBy: { id: 'asc' } });
    expect(left.map(({ pathId }) => pathId)).toEqual(['linked', 'young']);
    const realms = await prisma.realm.findMany({ orderBy: { id: 'asc' } });
    expect(realms.map(({ uploadedBytes }) => uploadedBytes)).toEqual([11n, 0n]);
    const recorded = await new EventRepository(database).after(one.realm.id, NO_EVENTS, 10);
    expect(recorded.map(({ type, body, userIds }) => ({ type, body, userIds }))).toEqual(
      [oldId, olderId].map((id) => ({
        type: 'attachment',
        body: { op: 'remove', attachment: { id }, upload_space_used: 11 },
        userIds: [one.user.id],
      })),
    );
    await sut.clean();
    expect(storage.removed).toHaveLength(3);
    expect(await noted()).toEqual([]);
  });

  it('removes more files than fit one batch', async () => {
    const realm = await addRealm('many');
    for (let file = 0; file < 505; file += 1) await addFile(realm, `many-${file}`, 1, 36);
    const storage = new RemovingStorage();
    await cleanerOf(storage).clean();
    expect(new Set(storage.removed).size).toBe(505);
    expect(storage.tried).toHaveLength(505);
  });

  it('leaves no file behind after an outage of the storage', async () => {
    const realm = await addRealm('outage');
    const files = Array.from({ length: 505 }, (_, file) => `outage-${file + 100}`);
    for (const file of files) await addFile(realm, file, 1, 36);
    const storage = new RemovingStorage();
    storage.failureOf = () => new StorageUnavailable('it does not answer', null);
    const sut = cleanerOf(storage);
    await sut.clean();
    // The quota is returned at once. Few attempts show that the storage does not answer.
    const { prisma } = stores.database;
    const { uploadedBytes } = await prisma.realm.findUniqueOrThrow({
      where: { id: realm.realm.id },
    });
    expect(uploadedBytes).toBe(0n);
    expect(storage.tried).toHaveLength(3);
    expect(await noted()).toEqual(files);
    storage.failureOf = () => null;
    await passAnHour();
    await sut.clean();
    expect(storage.removed.toSorted()).toEqual(files);
    expect(await noted()).toEqual([]);
  });

  it('removes all other files if one cannot be removed, and tries that one again', async () => {
    const realm = await addRealm('failing');
    for (let file = 0; file < 505; file += 1) await addFile(realm, `failing-${file}`, 1, 36);
    const storage = new RemovingStorage();
    storage.failureOf = (key) => (key === 'failing-7' ? new Error('Not permitted') : null);
    const sut = cleanerOf(storage);
    await sut.clean();
    expect(storage.removed).toHaveLength(504);
    expect(await noted()).toEqual(['failing-7']);
    storage.failureOf = () => null;
    await passAnHour();
    await sut.clean();
    expect(await noted()).toEqual([]);
  });

  it('removes the file of a row that was removed during its upload an hour later', async () => {
    const realm = await addRealm('own');
    const id = await addFile(realm, 'own', 1, 0);
    const files = new AttachmentRepository(stores.database);
    await stores.database.transaction((transaction) => files.remove(transaction, id, null));
    const storage = new RemovingStorage();
    const sut = cleanerOf(storage);
    await sut.clean();
    expect(storage.tried).toEqual([]);
    await passAnHour();
    await sut.clean();
    expect(storage.removed).toEqual(['own']);
  });

  it.each([
    ['of a folder', '7/0f/', '/user_uploads/'],
    ['of a bucket', '7/', 'https://chat.test/user_uploads/download/'],
  ])('keeps a file %s for a scheduled message of its owner', async (place, folder, address) => {
    const [realm, other] = [await addRealm(place), await addRealm(`other ${place}`)];
    const path = `${folder}${'a-Z_'.repeat(6)}`;
    const id = await addFile(realm, `${path}/b\u00FC.txt`, 1, 36);
    const others = await addFile(other, `${folder}${'b'.repeat(24)}/c.txt`, 1, 36);
    const { prisma } = stores.database;
    const scheduled = {
      channelId: realm.message.channelId,
      topic: '',
      content: `See [it](${address}${path}/b%C3%BC.txt), ${address}${folder}${'b'.repeat(24)}/c.txt`,
      rendered: '',
      client: '',
      isReadBySender: true,
      deliverAt: new Date(now + 100 * DAY_MS),
      dueAt: new Date(now + 100 * DAY_MS),
    };
    await prisma.scheduledMessage.create({ data: { userId: realm.user.id, ...scheduled } });
    const files = new AttachmentRepository(stores.database);
    const { checked, removed } = await files.removeUnclaimed(35, 1000);
    expect([checked, removed.map((file) => file.id)]).toEqual([2, [others]]);
    expect(await files.removeUnclaimed(35, 1000)).toEqual({ checked: 0, removed: [] });
    await prisma.scheduledMessage.deleteMany({ where: { userId: realm.user.id } });
    const unlinkedAt = new Date(now - 36 * DAY_MS);
    await prisma.attachment.update({ where: { id }, data: { unlinkedAt } });
    expect((await files.removeUnclaimed(35, 1000)).removed).toMatchObject([{ id }]);
  });

  it('checks a claimed file only once', async () => {
    const realm = await addRealm('claimed');
    const attachmentId = await addFile(realm, 'claimed', 1, 36);
    await stores.database.prisma.attachmentMessage.create({
      data: { attachmentId, messageId: realm.message.id },
    });
    const files = new AttachmentRepository(stores.database);
    expect(await files.removeUnclaimed(35, 1000)).toEqual({ checked: 1, removed: [] });
    expect(await files.removeUnclaimed(35, 1000)).toEqual({ checked: 0, removed: [] });
  });

  it('removes a file five weeks after the removal of its last link', async () => {
    const realm = await addRealm('unlinked');
    const attachmentId = await addFile(realm, 'unlinked', 1, 400);
    const { prisma } = stores.database;
    const link = { attachmentId, messageId: realm.message.id };
    await prisma.attachmentMessage.create({ data: link });
    const files = new AttachmentRepository(stores.database);
    expect(await files.removeUnclaimed(35, 1000)).toEqual({ checked: 1, removed: [] });
    await prisma.attachmentMessage.deleteMany({ where: link });
    const { claimedAt } = await prisma.attachment.findUniqueOrThrow({
      where: { id: attachmentId },
    });
    expect(claimedAt).not.toBeNull();
    await prisma.attachment.update({
      where: { id: attachmentId },
      data: { claimedAt: new Date(now - 50 * DAY_MS) },
    });
    const unlinkedDaysAgo = (days: number) =>
      prisma.attachment.update({
        where: { id: attachmentId },
        data: { unlinkedAt: new Date(now - days * DAY_MS) },
      });
    await unlinkedDaysAgo(34);
    expect(await files.removeUnclaimed(35, 1000)).toEqual({ checked: 0, removed: [] });
    await unlinkedDaysAgo(36);
    expect((await files.removeUnclaimed(35, 1000)).removed).toMatchObject([{ id: attachmentId }]);
  });

  it('records removed links of a message also if a transaction that began later has claimed the file', async () => {
    const realm = await addRealm('late');
    const { prisma } = stores.database;
    const ids = [await addFile(realm, 'late-1', 1, 1), await addFile(realm, 'late-2', 1, 1)];
    const messageId = realm.message.id;
    await prisma.attachmentMessage.createMany({
      data: ids.map((attachmentId) => ({ attachmentId, messageId })),
    });
    const claimedAt = new Date(now + DAY_MS);
    await prisma.attachment.updateMany({ where: { id: { in: ids } }, data: { claimedAt } });
    await prisma.message.delete({ where: { id: messageId } });
    expect(
      await prisma.attachment.findMany({
        where: { id: { in: ids } },
        select: { claimedAt: true, unlinkedAt: true },
      }),
    ).toEqual(ids.map(() => ({ claimedAt, unlinkedAt: claimedAt })));
  });

  it('keeps a file that a message links at the same time', async () => {
    const realm = await addRealm('moment');
    const attachmentId = await addFile(realm, 'moment', 1, 36);
    const files = new AttachmentRepository(stores.database);
    await stores.database.prisma.$transaction(async (transaction) => {
      await transaction.attachmentMessage.create({
        data: { attachmentId, messageId: realm.message.id },
      });
      expect(await files.removeUnclaimed(35, 1000)).toEqual({ checked: 0, removed: [] });
    });
    expect(await files.removeUnclaimed(35, 1000)).toEqual({ checked: 1, removed: [] });
  });

  it('removes each file once with several processes', async () => {
    const realm = await addRealm('both');
    for (let file = 0; file < 20; file += 1) await addFile(realm, `both-${file}`, 1, 36);
    const files = new AttachmentRepository(stores.database);
    const results = await Promise.all([1, 2, 3, 4].map(() => files.removeUnclaimed(35, 1000)));
    const removed = results.flatMap((result) => result.removed.map(({ pathId }) => pathId));
    expect(removed).toHaveLength(20);
    expect(new Set(removed).size).toBe(20);
    const noting = new RemovedFileRepository(stores.database);
    const claims = (await Promise.all([1, 2, 3].map(() => noting.claim(1000)))).flat();
    expect(claims.filter((key) => key.startsWith('both-')).toSorted()).toEqual(removed.toSorted());
  });

  it('finds old files by an index', async () => {
    const realm = await addRealm('filled');
    await stores.database.query(
      'fill',
      `INSERT INTO attachments (realm_id, owner_id, path_id, file_name, content_type, size_bytes, created_at, claimed_at)
       SELECT $1, $2, 'filled-' || number, 'a', 'a/b', 1, now() - interval '90 days', now()
       FROM generate_series(1, 20000) AS number`,
      [realm.realm.id, realm.user.id],
    );
    await stores.database.query('statistics', 'ANALYZE attachments');
    const database = new Database({ url: stores.url, poolSize: 1 });
    try {
      const files = new AttachmentRepository(database);
      await addFile(realm, 'filled', 1, 36);
      const removeUnclaimed = () => files.removeUnclaimed(35, 1000);
      expect(await rowsRead(database, 'attachments', removeUnclaimed)).toBeLessThan(100);
      expect(await stores.database.prisma.attachment.count({ where: { pathId: 'filled' } })).toBe(
        0,
      );
    } finally {
      await database.onApplicationShutdown();
    }
  });
});
