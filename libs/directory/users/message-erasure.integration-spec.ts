import { beforeAll, expect, it } from '@jest/globals';
import { useDatabase, useFixture } from '#test/use-fixture';
import {
  type ErasureScope,
  type MessageErasure,
  MessageErasureRepository,
  requestErasure,
} from './message-erasure.repository.js';

const stores = useDatabase();
const sut = useFixture(async () => new MessageErasureRepository(stores.database));
let userId: number;

beforeAll(async () => {
  const { prisma } = stores.database;
  const { id: realmId } = await prisma.realm.create({ data: { subdomain: 'a', name: 'A' } });
  const identity = { realmId, deliveryEmail: 'a@a.test', email: 'a@a.test', fullName: 'Ada' };
  const key = { apiKeyHash: new Uint8Array(32), apiKeySealed: new Uint8Array() };
  ({ id: userId } = await prisma.user.create({ data: { ...identity, ...key, role: 400 } }));
});

const nothing = { ofPublicChannels: false, ofPrivateChannels: false, ofConversations: false };

/** Has messages deleted; resolves with all that are to be. */
const request = (wanted: Partial<ErasureScope>): Promise<MessageErasure | null> =>
  stores.database.transaction(async (transaction) => {
    await requestErasure(transaction, [userId], { ...nothing, ...wanted });
    return sut.lock(transaction, userId);
  });

it('keeps the time of each kind of messages when the account is deactivated again', async () => {
  const first = await request({ ofPublicChannels: true });
  expect(first).toMatchObject({ privateChannelsUntil: null, conversationsUntil: null });
  await stores.database.transaction((transaction) => sut.continueAfter(transaction, userId, 7));
  const second = await request({ ofConversations: true });
  // What the account sent to public channels after its return stays.
  expect(second).toEqual({
    ...first,
    conversationsUntil: expect.any(Date),
    afterId: 0,
  });
  expect(Number(second?.conversationsUntil)).toBeGreaterThan(Number(first?.publicChannelsUntil));
  expect(await sut.accounts()).toEqual([userId]);
});
