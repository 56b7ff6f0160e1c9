import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '#test/eventually';
import { FakePushService } from '#test/fake-push-service';
import { androidToken } from '#test/push-tokens';
import { usePushSystem } from '#test/push-system';
import { useFixture } from '#test/use-fixture';
import { TokenChangeRepository } from './token-change.repository.js';

const service = useFixture(() => FakePushService.start());
const system = usePushSystem(() => ({ relay: service.settings }));
const worker = useFixture(() => system.startRelayWorker());
afterEach(() => {
  service.fault = () => null;
});

describe(TokenChangeRepository.name, () => {
  it('ends no lease of another process, which has begun after the own one was over', async () => {
    const account = await system.addAccount();
    const { userId } = account;
    await system.devices.register(account, { platform: 'fcm', token: androidToken() });
    const sut = new TokenChangeRepository(system.database);
    const leased = async (leaseMs: number) => {
      const lease = await sut.lease(userId, leaseMs);
      if (lease === null) throw new Error('The account is leased');
      return lease;
    };
    const over = await leased(1);
    const present = await eventually(() => leased(60_000));
    await sut.release(userId, over);
    expect(await sut.lease(userId, 60_000)).toBeNull();
    await sut.release(userId, present);
    expect(await sut.lease(userId, 60_000)).not.toBeNull();
  });
});

describe('The removal of a phone', () => {
  it('is repeated soon, also behind a registration that has failed for hours', async () => {
    const account = await system.addAccount();
    const { userId } = account;
    const changes = () =>
      system.database.prisma.pushServiceChange.findMany({
        where: { userId },
        orderBy: { id: 'asc' },
      });
    const [removed, waiting] = [androidToken(), androidToken()];
    await system.devices.register(account, { platform: 'fcm', token: removed });
    service.failAt('/push/');
    const registering = system.devices.register(account, { platform: 'fcm', token: waiting });
    await expect(registering).rejects.toThrow('Received 503');
    await system.database.prisma.pushServiceChange.updateMany({
      where: { userId },
      data: { attempts: 20 },
    });
    await system.devices.remove(account, { platform: 'fcm', token: removed });
    await eventually(async () => {
      expect(await changes()).toMatchObject([
        { kind: 'register', attempts: 21 },
        { kind: 'unregister', attempts: 1 },
      ]);
    });
    for (const { dueAt } of await changes()) {
      expect(dueAt.getTime()).toBeLessThan(Date.now() + 90_000);
    }
    service.fault = () => null;
    await system.sendChanges(worker, account);
    await eventually(() => {
      expect(service.legacy.map(({ token }) => token)).not.toContain(removed);
    });
  });
});
