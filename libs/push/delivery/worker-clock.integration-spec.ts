import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { refusal } from '#push/providers';
import { eventually } from '#test/eventually';
import { usePushSystem } from '#test/push-system';
import { PushWorld } from '#test/push-world';

const MINUTE_MS = 60_000;

const DUE_IN = `
  SELECT (extract(epoch FROM due_at - now()) * 1000)::float8 AS "dueInMs"
  FROM push_deliveries WHERE state = 'pending'`;

const system = usePushSystem();

describe.each([
  ['ahead of', 10],
  ['behind', -10],
])('A worker whose clock is ten minutes %s that of PostgreSQL', (_which, minutes) => {
  beforeEach(() => {
    const now = Date.now;
    jest.spyOn(Date, 'now').mockImplementation(() => now() + minutes * MINUTE_MS);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await system.stopWorkers();
    await system.forgetQueues();
    await system.database.prisma.user.deleteMany();
    await system.database.prisma.pushDelivery.deleteMany();
  });

  it('lets a refused push wait as long as the provider asks', async () => {
    const world = await PushWorld.in(system);
    await world.addIphone();
    const throttled = { status: 429, reason: 'TooManyRequests', retryAfterMs: MINUTE_MS };
    world.apns.answerWith(() => refusal(throttled));
    await world.startWorker();
    await world.sendTest();
    await eventually(async () =>
      expect(await world.deliveries()).toMatchObject([{ state: 'pending', attempts: 1 }]),
    );
    const [row] = await system.database.query<{ dueInMs: number }>('due_in', DUE_IN);
    expect(row?.dueInMs).toBeGreaterThan(MINUTE_MS - 10_000);
    expect(row?.dueInMs).toBeLessThan(2 * MINUTE_MS);
  });
});
