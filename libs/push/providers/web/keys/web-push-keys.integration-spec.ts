import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { untilLockWaits } from '#test/lock-waits';
import { useDatabase } from '#test/use-fixture';
import { WebPushKeyRepository } from './web-push-key.repository.js';
import { WebPushKeys } from './web-push-keys.js';

const stores = useDatabase();
const secret = randomBytes(32);

const keysWith = (given: Buffer | null) =>
  new WebPushKeys(new WebPushKeyRepository(stores.database), given);

describe(WebPushKeys.name, () => {
  let sut: WebPushKeys;

  beforeEach(async () => {
    await stores.database.prisma.webPushKey.deleteMany();
    sut = keysWith(secret);
  });

  it('has no key that nobody has made', async () => {
    expect(await sut.current()).toBeNull();
    expect(await sut.list()).toEqual([]);
    expect(await sut.pairOf(1)).toBeNull();
    await expect(sut.assertReadable()).resolves.toBeUndefined();
  });

  it('has the newest key for new subscriptions, and keeps the earlier ones', async () => {
    const first = await sut.add();
    const firstId = await sut.idOf(first);
    const second = await sut.add();
    expect(await sut.current()).toEqual({ id: await sut.idOf(second), publicKey: second });
    expect(await sut.pairOf(firstId ?? 0)).toMatchObject({ id: firstId, publicKey: first });
    expect((await sut.list()).map(({ publicKey }) => publicKey)).toEqual([second, first]);
  });

  it('changes keys in turns, so that the last change knows which key is the newest', async () => {
    const { database } = stores;
    let later: Promise<readonly unknown[]> | undefined;
    await database.transaction(async (transaction) => {
      await sut.add(transaction);
      later = database.transaction(async (other) => [
        await sut.add(other),
        (await sut.current(other))?.publicKey,
      ]);
      await untilLockWaits(database, 1, 'web_push_keys');
      await sut.add(transaction);
    });
    const [added, current] = (await later) ?? [];
    expect(current).toBe(added);
    expect((await sut.current())?.publicKey).toBe(added);
  });

  it('knows its public keys with and without padding, and no others', async () => {
    const key = await sut.add();
    expect(await sut.idOf(key)).not.toBeNull();
    expect(await sut.idOf(`${key}=`)).toBe(await sut.idOf(key));
    const other = await keysWith(secret).add();
    await stores.database.transaction((transaction) => sut.remove(other, transaction));
    for (const unknown of [other, '', 'ä', 'AAAA', `${key}.`]) {
      expect(await sut.idOf(unknown)).toBeNull();
    }
  });

  it('stores no private key that can be read without the secret', async () => {
    const key = await sut.add();
    const other = keysWith(randomBytes(32));
    const id = (await other.idOf(key)) ?? 0;
    await expect(other.pairOf(id)).rejects.toMatchObject({ name: 'WebPushKeyUnreadable' });
    await expect(other.assertReadable()).rejects.toThrow(key);
    await expect(keysWith(null).assertReadable()).rejects.toThrow(key);
    await expect(sut.assertReadable()).resolves.toBeUndefined();
    const [row] = await stores.database.prisma.webPushKey.findMany();
    expect(Buffer.from(row?.sealed ?? []).toString('latin1')).not.toContain('PRIVATE KEY');
  });

  it('makes no key without a secret', async () => {
    await expect(keysWith(null).add()).rejects.toThrow('PUSH_KEY_SECRET');
  });

  it('uses no private key for another public key', async () => {
    await sut.add();
    await sut.add();
    const [one, two] = await stores.database.prisma.webPushKey.findMany({ orderBy: { id: 'asc' } });
    await stores.database.prisma.webPushKey.update({
      where: { id: two?.id ?? 0 },
      data: { sealed: one?.sealed ?? Buffer.of() },
    });
    await expect(sut.pairOf(two?.id ?? 0)).rejects.toMatchObject({ name: 'WebPushKeyUnreadable' });
  });
});
