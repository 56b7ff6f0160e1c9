import { describe, expect, it, jest } from '@jest/globals';
import { queueNames } from '#push/jobs';
import { JobQueues } from '#platform/queue';
import { PlatformPauses } from './platform-pauses.js';
import { PushOperatorService } from './push-operator.service.js';
import { deliveriesTo } from '#test/push-ledger';
import { useOperatedWorld } from '#test/push-operate-world';
import { useFixture } from '#test/use-fixture';

const world = useOperatedWorld();
const device = useFixture(async () => world.addDevice((await world.addPerson()).id, 'apns'));

const queues = () => world.operator.get(JobQueues, { strict: false });
const waitingForApple = async () => (await queues().counts('push-apns')).waiting;

async function pausedQueues(): Promise<string[]> {
  const states = await Promise.all(queueNames.map((name) => queues().isPaused(name)));
  return queueNames.filter((_, index) => states[index]);
}

describe('pausing a platform', () => {
  it('stops one platform and not the other, until it is resumed', async () => {
    const sut = world.operator.get(PlatformPauses);
    expect(await pausedQueues()).toEqual([]);
    await sut.pause('apns');
    await sut.pause('apns');
    expect(await pausedQueues()).toEqual(['push-apns', 'push-apns-bulk']);
    await sut.resume('apns');
    expect(await pausedQueues()).toEqual([]);
  });

  it('does not stop the acceptance', async () => {
    await world.operator.get(PlatformPauses).pause('apns');
    const before = await waitingForApple();
    await world.operator.get(PushOperatorService).sendTest(device.userId, device.id);
    expect(await waitingForApple()).toBe(before + 1);
    await world.operator.get(PlatformPauses).resume('apns');
    expect(await waitingForApple()).toBe(before + 1);
  });
});

describe('sending a test', () => {
  it('reaches all devices of an account, or the given one', async () => {
    const { id: userId } = await world.addPerson();
    const [one, two] = [await world.addDevice(userId), await world.addDevice(userId, 'apns')];
    const sut = world.operator.get(PushOperatorService);
    const all = await sut.sendTest(userId);
    expect(all?.deviceIds.toSorted((a, b) => a - b)).toEqual([one.id, two.id]);
    expect((await sut.sendTest(userId, two.id))?.deviceIds).toEqual([two.id]);
    const deliveries = await deliveriesTo(world.database.prisma, userId);
    expect(deliveries.map(({ state }) => state)).toEqual(['pending', 'pending', 'pending']);
  });

  it('may wait ten minutes, also from a host with a wrong clock', async () => {
    const sut = world.operator.get(PushOperatorService);
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
    const sent = await sut.sendTest(device.userId).finally(() => jest.restoreAllMocks());
    const { acceptedAt, expiresAt } = await world.database.prisma.pushNotification.findFirstOrThrow(
      { where: { id: sent?.notificationId ?? '' } },
    );
    expect(expiresAt.getTime() - acceptedAt.getTime()).toBe(600_000);
  });

  it('reaches no device of another account', async () => {
    const { id: userId } = await world.addPerson();
    const sut = world.operator.get(PushOperatorService);
    expect(await sut.sendTest(userId)).toBeNull();
    expect(await sut.sendTest(userId, device.id)).toBeNull();
    expect(await sut.sendTest(2_000_000_000)).toBeNull();
  });
});
