import { beforeAll, describe, expect, it } from '@jest/globals';
import { EncryptedPhone } from '#test/encrypted-phone';
import { eventually } from '#test/eventually';
import { FakePushService } from '#test/fake-push-service';
import { PushRegistrations } from '#test/push-registrations';
import { type Account, usePushSystem } from '#test/push-system';
import { useFixture } from '#test/use-fixture';

const REGISTER = '/push/e2ee/register';
/** As many requests wait for the service at the same time. */
const AT_ONCE = 4;

const service = useFixture(() => FakePushService.start());
const system = usePushSystem(() => ({ relay: service.settings }));
let account: Account;

beforeAll(async () => {
  await system.startRelayWorker();
  account = await system.addAccount();
});
describe('The control queue, while the push service takes requests and does not answer', () => {
  it('carries a logout out before the registrations that wait', async () => {
    service.fault = ({ path }) => (path === REGISTER ? { kind: 'hang' } : null);
    const registrations = new PushRegistrations(system);
    for (let count = 0; count < 3 * AT_ONCE; count += 1) {
      await registrations.register(account, EncryptedPhone.android(service.publicKey));
    }
    await eventually(() => expect(service.of(REGISTER)).toHaveLength(AT_ONCE));
    const renewed = await system.replaceKey(account);
    await system.logouts.revoke(renewed);
    // The requests fail, and the next ones have no answer either.
    service.dropConnections();
    await eventually(async () => {
      const id = BigInt(renewed.outboxId);
      expect(await system.database.prisma.outboxEntry.findUnique({ where: { id } })).toBeNull();
    });
  });
});
