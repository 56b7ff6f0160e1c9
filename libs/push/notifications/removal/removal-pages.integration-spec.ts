import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { usePushSystem } from '#test/push-system';
import { PushWorld } from '#test/push-world';
import { RemovalPageRepository } from './removal-page.repository.js';
import { RemovalPages } from './removal-pages.js';

const MESSAGE_ID = 9_000_001;

const system = usePushSystem();
let world: PushWorld;

beforeEach(async () => {
  world = await PushWorld.in(system);
  await world.addPhone();
});
afterEach(() => system.stopWorkers());

/** Stores a removal as one of many accounts, and adds its job. */
const storeRemoval = () =>
  system.database.transaction((transaction) =>
    system
      .service(RemovalPages)
      .add(
        transaction,
        [{ userId: world.account.userId, content: { kind: 'remove', messageIds: [MESSAGE_ID] } }],
        { traceParent: null },
      ),
  );

/** The same by a gateway that is killed before it adds the job. */
const storeWithoutJob = () =>
  system.database.transaction((transaction) =>
    system
      .service(RemovalPageRepository)
      .add(transaction, [[[world.account.userId, [MESSAGE_ID]]]], null),
  );

const agePages = () =>
  system.database.query(
    'age_removal_pages',
    `UPDATE push_removal_pages SET created_at = now() - interval '1 minute'`,
  );

describe('Removals from the phones of many accounts', () => {
  it('are sent by a worker', async () => {
    await world.startWorker();
    await storeRemoval();
    await world.ended('delivered');
    expect(world.fcm.sent).toMatchObject([{ content: { kind: 'remove' } }]);
    expect(await system.database.prisma.pushRemovalPage.count()).toBe(0);
  });

  it('are sent by the sweeper if their job was lost', async () => {
    await storeWithoutJob();
    await agePages();
    const worker = await world.startWorker();
    expect(await world.deliveries()).toEqual([]);
    await system.sweep(worker);
    await world.ended('delivered');
    expect(await system.database.prisma.pushRemovalPage.count()).toBe(0);
  });
});
