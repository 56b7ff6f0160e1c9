import { beforeAll, describe, expect, it } from '@jest/globals';
import { useDatabase } from '#test/use-fixture';
import { IdempotencyKeyRepository } from './idempotency-key.repository.js';
import { IdempotencyKeyTrimmer } from './idempotency-key-trimmer.js';

const CAP = 5;
/** Random numbers with which the number of keys is checked, and is not checked. */
const [CHECKED, UNCHECKED] = [0, 0.5];

const stores = useDatabase();
let sut: IdempotencyKeyTrimmer;

beforeAll(async () => {
  const keys = new IdempotencyKeyRepository(stores.database);
  sut = new IdempotencyKeyTrimmer(keys, { idempotencyKeys: CAP });
});

describe(IdempotencyKeyTrimmer.name, () => {
  it('deletes the oldest keys of the account above its cap, and no keys of others', async () => {
    const { prisma } = stores.database;
    const realm = await prisma.realm.create({ data: { subdomain: 'a', name: 'A' } });
    const [user, other] = await Promise.all(
      ['user', 'other'].map((name) =>
        prisma.user.create({
          data: {
            realmId: realm.id,
            deliveryEmail: `${name}@chat.test`,
            email: `${name}@chat.test`,
            fullName: name,
            role: 400,
            apiKeyHash: new Uint8Array(Buffer.from(name.padEnd(32))),
            apiKeySealed: new Uint8Array(),
          },
        }),
      ),
    );
    for (const { id: userId } of [user, other].flatMap((one) => one ?? [])) {
      await prisma.idempotencyKey.createMany({
        data: Array.from({ length: 8 }, (_, age) => ({
          userId,
          key: `${age}`,
          digest: new Uint8Array(32),
          answer: {},
          createdAt: new Date(Date.now() - age * 1000),
        })),
      });
    }
    const keysOf = async (userId = 0) =>
      (await prisma.idempotencyKey.findMany({ where: { userId }, orderBy: { key: 'asc' } })).map(
        ({ key }) => key,
      );
    await sut.trimOccasionally(user?.id ?? 0, UNCHECKED);
    expect(await keysOf(user?.id)).toHaveLength(8);
    await sut.trimOccasionally(user?.id ?? 0, CHECKED);
    expect(await keysOf(user?.id)).toEqual(['0', '1', '2', '3', '4']);
    expect(await keysOf(other?.id)).toHaveLength(8);
  });
});
