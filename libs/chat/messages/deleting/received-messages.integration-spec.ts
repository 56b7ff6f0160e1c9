import { beforeAll, describe, expect, it } from '@jest/globals';
import { roles } from '#directory/roles';
import { useDatabase } from '#test/use-fixture';

const stores = useDatabase();
let realmId: number;

beforeAll(async () => {
  const { prisma } = stores.database;
  ({ id: realmId } = await prisma.realm.create({ data: { subdomain: 'keys', name: 'Keys' } }));
});

const addAccount = (name: string) =>
  stores.database.prisma.user.create({
    data: {
      realmId,
      deliveryEmail: `${name}@keys.test`,
      email: `${name}@keys.test`,
      fullName: name,
      role: roles.member,
      apiKeyHash: new TextEncoder().encode(name),
      apiKeySealed: new Uint8Array(),
    },
  });

describe('The rows of the recipients of a message', () => {
  it('go with the message, and with the account', async () => {
    const { prisma } = stores.database;
    const [sender, reader] = [await addAccount('sender'), await addAccount('reader')];
    const channel = await prisma.channel.create({ data: { realmId, name: 'keys' } });
    const [deleted, kept] = await prisma.message.createManyAndReturn({
      data: ['Deleted', 'Kept'].map((content) => {
        return { realmId, senderId: sender.id, channelId: channel.id, topic: 'keys', content };
      }),
    });
    const ids = [deleted?.id ?? 0n, kept?.id ?? 0n] as const;
    await prisma.userMessage.createMany({
      data: ids.flatMap((messageId) => [
        { userId: sender.id, messageId },
        { userId: reader.id, messageId },
      ]),
    });
    const rows = () => prisma.userMessage.findMany({ select: { userId: true, messageId: true } });

    await prisma.message.deleteMany({ where: { id: ids[0] } });
    expect(await rows()).toEqual(
      [sender, reader].map(({ id: userId }) => ({ userId, messageId: ids[1] })),
    );
    await prisma.user.delete({ where: { id: reader.id } });
    expect(await rows()).toEqual([{ userId: sender.id, messageId: ids[1] }]);
  });
});
