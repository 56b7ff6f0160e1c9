import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LedgerSweep } from '#push/delivery';
import { refusal } from '#push/providers';
import { eventually } from '#test/eventually';
import { usePushSystem } from '#test/push-system';
import { PushWorld } from '#test/push-world';

const system = usePushSystem();
let world: PushWorld;

beforeEach(async () => {
  world = await PushWorld.in(system);
});

afterEach(() => system.stopWorkers());

/** Has so many notifications accepted, and resolves with their ids in order. */
async function accept(count: number): Promise<string[]> {
  for (let sent = 0; sent < count; sent += 1) await world.sendTest();
  return system.notificationsOf(world.account);
}

const idsOf = (pushes: readonly { readonly notificationId: string }[]) =>
  pushes.map(({ notificationId }) => notificationId);

const times = (count: number, state: string) => Array.from({ length: count }, () => state);

describe('Notifications for the same device', () => {
  it('arrive in the order of their acceptance, in any order of their jobs', async () => {
    await world.addPhone();
    const ids = await accept(8);
    await system.forgetQueues();
    await system.enqueueOneByOne(ids.toReversed(), world.account);
    await world.startWorker();
    await world.startWorker();
    await world.ended(...times(8, 'delivered'));
    expect(idsOf(world.fcm.sent)).toEqual(ids);
  });

  it.each([
    ['a few', 8],
    ['more than a job goes on with', 210],
  ])('are all sent by the worker that sends the first: %s', async (_some, count) => {
    await world.addPhone();
    const ids = await accept(count);
    await system.forgetQueues();
    // The other notifications have no job: their jobs count as lost.
    await system.enqueueOneByOne(ids.slice(0, 1), world.account);
    await world.startWorker();
    await world.ended(...times(count, 'delivered'));
    expect(idsOf(world.fcm.sent)).toEqual(ids);
  });

  it('are all sent by the worker that sends the first, also after a refusal or an expiry', async () => {
    await world.addPhone();
    const ids = await accept(4);
    await system.forgetQueues();
    await system.enqueueOneByOne(ids.slice(0, 1), world.account);
    const expire = `UPDATE push_notifications SET expires_at = now() WHERE id = $1`;
    await system.database.query('expire', expire, [ids[1]]);
    world.fcm.answerWith(({ notificationId }) =>
      notificationId === ids[0]
        ? refusal({ status: 400, reason: 'INVALID_ARGUMENT', invalidFields: 'other' })
        : { kind: 'accepted' },
    );
    await world.startWorker();
    await world.ended('rejected', 'expired', 'delivered', 'delivered');
    expect(idsOf(world.fcm.sent)).toEqual([ids[0], ids[2], ids[3]]);
  });

  it('are sent by the worker that sends the first, although one between them waits for a retry', async () => {
    await world.addPhone();
    const ids = await accept(3);
    await system.forgetQueues();
    const retry = `UPDATE push_deliveries SET due_at = now() + interval '1 hour', reason = 'connection', attempts = 5
      WHERE notification_id = $1`;
    await system.database.query('retry', retry, [ids[1]]);
    await system.enqueueOneByOne(ids.slice(0, 1), world.account);
    await world.startWorker();
    await world.ended('delivered', 'pending', 'delivered');
    expect(idsOf(world.fcm.sent)).toEqual([ids[0], ids[2]]);
  });

  it('are sent by the worker whose attempt at the first is the last that they wait for', async () => {
    await world.addPhone();
    const ids = await accept(3);
    await system.forgetQueues();
    const failed = `UPDATE push_deliveries SET attempts = 4 WHERE notification_id = $1`;
    await system.database.query('failed', failed, [ids[0]]);
    world.fcm.answerWith(({ notificationId }) =>
      notificationId === ids[0]
        ? { kind: 'unanswered', reason: 'connection' }
        : { kind: 'accepted' },
    );
    await system.enqueueOneByOne(ids.slice(0, 1), world.account);
    await world.startWorker();
    await world.ended('pending', 'delivered', 'delivered');
    expect(idsOf(world.fcm.sent).slice(0, 3)).toEqual(ids);
  });

  it('are queued again by the first one, if their jobs are lost', async () => {
    await world.addPhone();
    const ids = await accept(5);
    await system.forgetQueues();
    const overdue = `UPDATE push_deliveries SET due_at = now() - interval '1 min' WHERE notification_id = ANY($1)`;
    await system.database.query('overdue', overdue, [ids]);
    const worker = await world.startWorker();
    const sweep = worker.get(LedgerSweep, { strict: false });
    await eventually(async () => {
      await system.sweep(worker);
      expect(sweep.requeued.fcm).toBeGreaterThan(0);
    });
    await world.ended(...times(5, 'delivered'));
    expect(sweep.requeued.fcm).toBe(1);
  });

  it('wait for one that is to be retried, and not for other devices', async () => {
    const token = await world.addPhone();
    await world.addPhone();
    await world.startWorker();
    let refusals = 0;
    world.fcm.answerWith((push) => {
      if (push.token !== token || refusals > 0) return { kind: 'accepted' };
      refusals += 1;
      return { kind: 'unanswered', reason: 'connection' };
    });
    await world.sendTest();
    await eventually(() => expect(refusals).toBe(1));
    await world.sendTest();
    await world.ended(...times(4, 'delivered'));
    const [first, second] = await system.notificationsOf(world.account);
    const arrived = (one: boolean) =>
      idsOf(world.fcm.sent.filter((push) => (push.token === token) === one));
    expect(arrived(true)).toEqual([first, first, second]);
    expect(arrived(false)).toEqual([first, second]);
  });

  it('are not overdue while they wait behind a later retry', async () => {
    await world.addPhone();
    const [first, second] = await accept(2);
    const dueIn = `UPDATE push_deliveries SET due_at = now() + make_interval(secs => $2), reason = $3
      WHERE notification_id = $1`;
    await system.database.query('due_in', dueIn, [first, 60, 'connection']);
    await system.database.query('due_in', dueIn, [second, -60, null]);
    await world.startWorker();
    await eventually(async () => {
      const deliveries = await world.deliveries();
      expect(new Set(deliveries.map(({ dueAt }) => dueAt.getTime())).size).toBe(1);
    });
    const allLater = { waiting: 0, delayed: 2, active: 0 };
    await eventually(async () => expect(await system.jobs()).toEqual(allLater));
    await system.sweep(await system.startWorker({}, { sweepMs: 1 }));
    expect(await system.jobs()).toEqual(allLater);
    expect(world.fcm.sent).toEqual([]);
  });
});
