import { beforeEach, describe, expect, it } from '@jest/globals';
import { success } from '#test/answers';
import { eventually } from '#test/eventually';
import { untilLockWaits } from '#test/lock-waits';
import { addOrganisation, type Organisation, type Person } from '#test/organisation';
import { useGateway } from '#test/start-gateway';

const system = useGateway({});
let organisation: Organisation;
let ada: Person;
let bea: Person;

beforeEach(async () => {
  organisation = await addOrganisation(system);
  [ada, bea] = (await organisation.addPeople(2)) as [Person, Person];
});

const prisma = () => system.database.database.prisma;
const contents = async () => {
  const messages = await prisma().message.findMany({ where: { realmId: organisation.id } });
  return messages.map(({ content }) => content);
};

/** Kills the gateway while it stores a message that this work causes, and starts another one. */
async function killWhileStoring(work: () => Promise<unknown>): Promise<void> {
  const { database } = system.database;
  await database.transaction(async (transaction) => {
    await transaction.query('block_messages', 'LOCK TABLE messages IN SHARE ROW EXCLUSIVE MODE');
    await work();
    await untilLockWaits(database, 1, 'INSERT INTO messages');
    await system.kill('api-gateway');
  });
  await system.start('api-gateway');
}

describe('A gateway that is killed', () => {
  it('between the claim of a scheduled message and its commit causes one message', async () => {
    const reply = await ada.api.post('/scheduled_messages', {
      type: 'direct',
      to: [bea.id],
      content: 'Once',
      scheduled_delivery_timestamp: Math.floor(Date.now() / 1000) + 3600,
    });
    expect(reply).toMatchObject(success);
    const now = new Date();
    const due = () =>
      prisma().scheduledMessage.updateMany({ data: { deliverAt: now, dueAt: now } });
    await killWhileStoring(due);
    expect(await contents()).toEqual([]);
    // The lease of the killed gateway is over.
    await due();
    await eventually(async () => expect(await contents()).toEqual(['Once']));
    expect(await prisma().scheduledMessage.count()).toBe(0);
  });

  it('between a change and its notices loses no notice and sends none twice', async () => {
    const subscriptions = [{ name: 'new channel' }];
    await killWhileStoring(async () => {
      const request = ada.api.post('/users/me/subscriptions', {
        subscriptions,
        principals: [bea.id],
      });
      request.catch(() => undefined);
    });
    expect(await prisma().subscription.count({ where: { userId: bea.id } })).toBe(1);
    expect(await contents()).toEqual([]);
    await prisma().notice.updateMany({ data: { dueAt: new Date() } });
    await eventually(async () => expect(await prisma().notice.count()).toBe(0));
    expect(await contents()).toEqual([
      expect.stringContaining('channel created by'),
      expect.stringContaining('subscribed you to the channel'),
    ]);
  });
});
