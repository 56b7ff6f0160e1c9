import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ProviderAnswer } from '#push/providers';
import { LEAST_PAGE } from '#push/notifications';
import { eventually } from '#test/eventually';
import { deliveriesTo } from '#test/push-ledger';
import { usePushSystem } from '#test/push-system';
import { holdAnswers, PushWorld } from '#test/push-world';

/** As many as a page has at least. */
const PHONES = LEAST_PAGE;

/** The states of a page: the given ones, then that of all others. */
const letters = (first: string, others = 'd'): string => first.padEnd(PHONES, others);

const system = usePushSystem();
let world: PushWorld;
let tokens: string[];

beforeEach(async () => {
  world = await PushWorld.in(system);
  tokens = [];
  for (let count = 0; count < PHONES; count += 1) tokens.push(await world.addPhone());
});
afterEach(() => system.stopWorkers());

const pages = () =>
  system.database.prisma.pushPage.findMany({
    where: { userIds: { has: world.account.userId } },
    orderBy: { sequence: 'asc' },
  });

const own = () =>
  system.database.prisma.pushDelivery.findMany({
    where: { deviceId: { in: [...new Set(knownDevices)] } },
    orderBy: { deviceId: 'asc' },
  });

let knownDevices: number[] = [];
beforeEach(async () => {
  const devices = await system.database.prisma.pushDevice.findMany({
    where: { userId: world.account.userId },
  });
  knownDevices = devices.map(({ id }) => id);
});

const statesOfPages = async () => (await pages()).map(({ states }) => states);

const statesOfAll = async () =>
  (await deliveriesTo(system.database.prisma, world.account.userId))
    .map(({ state }) => state)
    .toSorted();

const allOf = (state: string) => Array.from({ length: PHONES }, () => state);

/** Also those get rows of their own that end later than the page on a slow machine. */
const untilAll = (state: string) =>
  eventually(async () => {
    expect(await statesOfAll()).toEqual(allOf(state));
    expect((await pages()).filter(({ isOpen }) => isOpen)).toEqual([]);
  });

const answer = (token: string | undefined, given: ProviderAnswer): void =>
  world.fcm.answerWith((push) => (push.token === token ? given : { kind: 'accepted' }));

const setPage = (columns: string) =>
  system.database.query(
    `set_page_${columns}`,
    `UPDATE push_pages SET ${columns} WHERE user_ids @> ARRAY[$1::int]`,
    [world.account.userId],
  );

/** Adds the jobs of all open pages. */
async function sweepPages(): Promise<void> {
  await setPage(`due_at = now() - interval '1 hour'`);
  const sweeper = await system.startWorker({}, { sweepMs: 3_600_000 });
  await system.sweep(sweeper);
}

describe('The deliveries of a fan-out', () => {
  it('are one row', async () => {
    await world.startWorker();
    await world.sendTest();
    await untilAll('delivered');
    expect(await pages()).toMatchObject([
      { deviceIds: knownDevices, states: expect.stringContaining('d') },
    ]);
    expect(world.fcm.sent.map(({ token }) => token).toSorted()).toEqual(tokens.toSorted());
  });

  it('keep what Google calls each phone', async () => {
    const [id] = knownDevices;
    await system.database.prisma.pushDevice.update({
      where: { id: id ?? 0 },
      data: { fcmTarget: 'fid' },
    });
    await world.startWorker();
    await world.sendTest();
    await eventually(() => expect(world.fcm.sent).toHaveLength(PHONES));
    const targets = new Map(world.fcm.sent.map(({ token, fcmTarget }) => [token, fcmTarget]));
    expect(targets).toEqual(
      new Map(tokens.map((token, index) => [token, index === 0 ? 'fid' : 'token'])),
    );
    await untilAll('delivered');
  });

  it('are rows of their own when they are few', async () => {
    const few = await PushWorld.in(system);
    await few.addPhone();
    await few.startWorker();
    await few.sendTest();
    await few.ended('delivered');
    expect(
      await system.database.prisma.pushPage.count({
        where: { userIds: { has: few.account.userId } },
      }),
    ).toBe(0);
  });

  it('get rows of their own when they are tried again', async () => {
    let calls = 0;
    world.fcm.answerWith(({ token }) => {
      if (token !== tokens[1]) return { kind: 'accepted' };
      calls += 1;
      return calls === 1 ? { kind: 'unanswered', reason: 'deadline' } : { kind: 'accepted' };
    });
    await world.startWorker();
    await world.sendTest();
    await untilAll('delivered');
    expect((await pages()).map(({ states }) => states.charAt(1))).toEqual(['o']);
    expect(await own()).toContainEqual(
      expect.objectContaining({
        deviceId: knownDevices[1],
        attempts: 2,
        history: [expect.objectContaining({ reason: 'deadline' })],
      }),
    );
    const ids = world.fcm.sent.filter(({ token }) => token === tokens[1]);
    expect(ids).toHaveLength(2);
    expect(ids[0]?.deliveryId).toBe(ids[1]?.deliveryId);
  });

  it('remove a dead token, and keep its fingerprint', async () => {
    answer(tokens[2], {
      kind: 'refused',
      status: 404,
      reason: 'UNREGISTERED',
      deadSince: null,
      invalidFields: 'other',
      retryAfterMs: null,
    });
    await world.startWorker();
    await world.sendTest();
    await eventually(async () =>
      expect(await own()).toContainEqual(
        expect.objectContaining({
          deviceId: knownDevices[2],
          state: 'dead_token',
          fingerprint: expect.any(String),
        }),
      ),
    );
    expect(await system.tokensOf(world.account)).toHaveLength(PHONES - 1);
  });

  it('do not wait for one that takes long', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    world.fcm.answerWith(async ({ token }) => {
      if (token === tokens[0]) await held;
      return { kind: 'accepted' };
    });
    await world.startWorker();
    await world.sendTest();
    await eventually(async () => expect(await pages()).toMatchObject([{ isOpen: false }]));
    expect(await own()).toContainEqual(
      expect.objectContaining({
        deviceId: knownDevices[0],
        state: 'pending',
        mayBeShown: true,
        attempts: 0,
      }),
    );
    release();
    await untilAll('delivered');
    expect(world.fcm.sent).toHaveLength(PHONES);
  });

  it('keep their order on each phone', async () => {
    await world.startWorker();
    const release = holdAnswers(world.fcm);
    await world.sendTest();
    await eventually(() => expect(world.fcm.sent).not.toEqual([]));
    await world.sendTest();
    const last = world.sendTest({ token: tokens[0] });
    const accepted = () =>
      system.database.prisma.pushNotification.findMany({
        where: { userId: world.account.userId },
        orderBy: { acceptedAt: 'asc' },
      });
    await eventually(async () => expect(await accepted()).toHaveLength(3));
    release();
    await last;
    await eventually(() => expect(world.fcm.sent).toHaveLength(2 * PHONES + 1));
    const order = world.fcm.sent.filter(({ token }) => token === tokens[0]);
    expect(order.map(({ notificationId }) => notificationId)).toEqual(
      (await accepted()).map(({ id }) => id),
    );
  });

  it('do not keep those waiting that have waited for them for long', async () => {
    // The queue is far behind: neither a later page nor a later notification may wait for as long again.
    await world.sendTest();
    await world.sendTest();
    await world.sendTest({ token: tokens[0] });
    await system.forgetQueues();
    for (const table of ['push_pages', 'push_notifications']) {
      const age = `UPDATE ${table} SET accepted_at = now() - interval '5 min'`;
      await system.database.query(`age_${table}`, age, []);
    }
    const [first, second] = await pages();
    const setDue = (id = '', hours = 0) =>
      system.database.query(
        'set_due_of_page',
        `UPDATE push_pages SET due_at = now() + make_interval(hours => $2) WHERE id = $1`,
        [id, hours],
      );
    const sweeper = await system.startWorker({}, { sweepMs: 600_000 });
    await setDue(first?.id, 1);
    await setDue(second?.id, -1);
    await system.sweep(sweeper);
    await system.enqueueAgain(world.account);
    await world.startWorker();
    await eventually(async () =>
      expect(await system.jobs()).toMatchObject({ waiting: 0, active: 0 }),
    );
    expect(world.fcm.sent).toEqual([]);
    const beganAt = performance.now();
    await setDue(first?.id, -1);
    await system.sweep(sweeper);
    await eventually(() => expect(world.fcm.sent).toHaveLength(2 * PHONES + 1));
    expect(performance.now() - beganAt).toBeLessThan(10_000);
  });

  it('are not sent after the key was replaced', async () => {
    await world.sendTest();
    await system.database.prisma.user.update({
      where: { id: world.account.userId },
      data: { keyGeneration: { increment: 1 } },
    });
    await world.startWorker();
    await untilAll('revoked');
    expect(world.fcm.sent).toEqual([]);
  });

  it('are not sent after their time', async () => {
    await world.sendTest();
    await setPage(`expires_at = now() - interval '1 second'`);
    await world.startWorker();
    await untilAll('expired');
    expect(world.fcm.sent).toEqual([]);
  });
});

describe('A page', () => {
  it('is sent by one of several workers with the same job', async () => {
    await world.sendTest();
    await sweepPages();
    await sweepPages();
    for (let count = 0; count < 3; count += 1) await world.startWorker();
    await untilAll('delivered');
    await eventually(async () =>
      expect(await system.jobs()).toEqual({ waiting: 0, delayed: 0, active: 0 }),
    );
    expect(world.fcm.sent).toHaveLength(PHONES);
  });

  it('is found by the sweeper when its job is lost', async () => {
    await world.sendTest();
    await system.forgetQueues();
    await sweepPages();
    await world.startWorker();
    await untilAll('delivered');
    expect(world.fcm.sent).toHaveLength(PHONES);
  });

  it('is sent again with the same ids when its worker has died', async () => {
    await world.sendTest();
    await setPage(`is_claimed = true, states = '${letters('d', 'p')}'`);
    await world.startWorker();
    await untilAll('delivered');
    expect(await statesOfPages()).toEqual([letters('d', 'o')]);
    expect(world.fcm.sent).toHaveLength(PHONES - 1);
    const [page] = await pages();
    expect(new Set(world.fcm.sent.map(({ notificationId }) => notificationId))).toEqual(
      new Set([page?.notificationId]),
    );
  });

  it('is left to its worker until the lease ends', async () => {
    await world.sendTest();
    await setPage(`is_claimed = true, due_at = now() + interval '1 hour'`);
    await world.startWorker();
    await eventually(async () => expect(await system.jobs()).toMatchObject({ delayed: 1 }));
    expect(world.fcm.sent).toEqual([]);
    await setPage(`due_at = now()`);
  });
});
