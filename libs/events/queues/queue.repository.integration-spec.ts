import { describe, expect, it } from '@jest/globals';
import { untilLockWaits } from '#test/lock-waits';
import { addAccount } from '#test/auth-gateway';
import { useDatabase } from '#test/use-fixture';
import { optionsWith } from '#test/queue-options';
import { QueueRepository } from './queue.repository.js';
import { storedLifeSeconds } from './queue-lifetime.rules.js';

const options = { ...optionsWith(), clientGravatar: false };

const stores = useDatabase();

describe(QueueRepository.name, () => {
  it('deletes all queues of an organisation, also one that a poll is extending', async () => {
    const { database } = stores;
    const sut = new QueueRepository(database);
    const { userId, realmId } = await addAccount(database);
    for (const id of ['one', 'two', 'three']) {
      await sut.reserve({ id, realmId, userId, options, idleSeconds: 60 }, 60, 10);
    }
    let deleting: Promise<string[]> | undefined;
    await database.transaction(async (transaction) => {
      const lock = 'SELECT FROM event_queues WHERE id = $1 FOR UPDATE';
      await transaction.query('lock_queue', lock, ['two']);
      deleting = sut.deleteOfRealm(realmId, 1000);
      await untilLockWaits(database);
    });
    expect((await deleting)?.toSorted()).toEqual(['one', 'three', 'two']);
    expect(await sut.find('two', userId)).toBeNull();
  });

  it('finds the queues with the earliest last poll beyond the cap, also one that would live longer', async () => {
    const { database } = stores;
    const sut = new QueueRepository(database);
    const { userId, realmId } = await addAccount(database);
    const add = (id: string, idleSeconds: number) => {
      const queue = { id, realmId, userId, options, idleSeconds };
      return sut.reserve(queue, storedLifeSeconds(queue), 2);
    };
    expect(await add('script', 604_800)).toBeNull();
    expect(await add('polled', 600)).toBeNull();
    expect(await add('new', 600)).toMatchObject({
      excess: 1,
      queues: [{ id: 'script' }, { id: 'polled' }],
    });
  });
});
