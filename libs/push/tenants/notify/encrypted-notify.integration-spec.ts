import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { addRemoteRealm, addRemoteServer } from '#test/remote-rows';
import { useDatabase, useFixture } from '#test/use-fixture';
import type { TenantDeviceRepository } from '../devices/tenant-device.repository.js';
import { TenantRealmRepository } from '../realms/tenant-realm.repository.js';
import { TenantRealms } from '../realms/tenant-realms.js';
import { tenantErrors } from '../tenants.errors.js';
import { TenantRepository } from '../servers/tenant.repository.js';
import { EncryptedNotifyService } from './encrypted-notify.service.js';
import type { TenantNotifier } from './tenant-notifier.js';

const HOUR_MS = 3_600_000;
const HALF_HOUR_MS = HOUR_MS / 2;

const stores = useDatabase();
// The fakes have the methods that the service calls.
const sut = useFixture(
  async () =>
    new EncryptedNotifyService(
      { findSealed: async () => [] } as unknown as TenantDeviceRepository,
      new TenantRealms(new TenantRealmRepository(stores.database)),
      { notify: async () => ({ apns: 0, fcm: 0 }) } as unknown as TenantNotifier,
    ),
);
let serverId: number;
let realmId: number;
beforeEach(async () => {
  serverId = await addRemoteServer(prisma());
  realmId = await addRemoteRealm(prisma(), serverId);
});
afterEach(() => void jest.restoreAllMocks());

const prisma = () => stores.database.prisma;

/** A notification of the server to no phone. */
async function notify() {
  const { uuid } = await prisma().remoteServer.findUniqueOrThrow({ where: { id: serverId } });
  const server = await new TenantRepository(stores.database).find(uuid);
  if (server === null) throw new Error('The server is missing');
  const realm = await prisma().remoteRealm.findUniqueOrThrow({ where: { id: realmId } });
  return sut.notify(server, realm.uuid, []);
}

const stops = {
  server: (stoppedFrom: Date) =>
    prisma().remoteServer.update({ where: { id: serverId }, data: { stoppedFrom } }),
  organisation: (stoppedFrom: Date) =>
    prisma().remoteRealm.update({ where: { id: realmId }, data: { stoppedFrom } }),
};

describe(EncryptedNotifyService.name, () => {
  it.each(['server', 'organisation'] as const)(
    'refuses those of a stopped %s by the clock of PostgreSQL',
    async (kind) => {
      const now = Date.now();
      const clock = jest.spyOn(Date, 'now').mockReturnValue(now - HOUR_MS);
      await stops[kind](new Date(now - HALF_HOUR_MS));
      await expect(notify()).rejects.toMatchObject({ error: tenantErrors.planUnknown });
      clock.mockReturnValue(now + HOUR_MS);
      const end = now + HALF_HOUR_MS;
      await stops[kind](new Date(end));
      expect(await notify()).toMatchObject({
        realm_push_status: { can_push: true, expected_end_timestamp: Math.floor(end / 1000) },
      });
    },
  );
});
