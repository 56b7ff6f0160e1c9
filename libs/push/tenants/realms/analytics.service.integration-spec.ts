import { describe, expect, it } from '@jest/globals';
import { untilLockWaits } from '#test/lock-waits';
import { addRemoteServer } from '#test/remote-rows';
import { useDatabase } from '#test/use-fixture';
import type { Tenant } from '../servers/tenant.repository.js';
import { AnalyticsService } from './analytics.service.js';
import { type LastRowIds, TenantRealmRepository } from './tenant-realm.repository.js';

const stores = useDatabase();

/** The organisations of servers, whose last ids are known to have been read. */
class ReadRealms extends TenantRealmRepository {
  readonly reads: Promise<LastRowIds>[] = [];

  override lastIds(serverId: number): Promise<LastRowIds> {
    const read = super.lastIds(serverId);
    this.reads.push(read);
    return read;
  }
}

const uploadOf = (...auditLog: readonly { readonly id: number }[]) => ({
  realmCounts: [],
  installationCounts: [],
  auditLog,
  realms: undefined,
  version: null,
  featureLevel: null,
});

describe(AnalyticsService.name, () => {
  it('stores uploads of several gateways that have read the same last ids', async () => {
    const { database } = stores;
    const server = { serverId: await addRemoteServer(database.prisma) } as Tenant;
    const realms = new ReadRealms(database);
    const gateways = [1, 2].map(() => new AnalyticsService(realms, database));
    const { uploads } = await database.transaction(async (transaction) => {
      const lock = 'SELECT FROM remote_servers WHERE id = $1 FOR UPDATE';
      await transaction.query('lock_uploading_server', lock, [server.serverId]);
      // As the hourly upload and one after a change do. A gateway stores one at a time, so there are two waiting.
      const all = [
        gateways[0]?.store(server, uploadOf({ id: 1 })),
        gateways[1]?.store(server, uploadOf({ id: 1 }, { id: 2 })),
        gateways[0]?.store(server, uploadOf({ id: 1 }, { id: 2 }, { id: 3 })),
      ];
      await Promise.all(realms.reads);
      await untilLockWaits(database, 2, 'remote_servers');
      return { uploads: all };
    });
    await Promise.all(uploads);
    expect(await realms.lastIds(server.serverId)).toMatchObject({ auditLog: 3 });
    await expect(gateways[0]?.store(server, uploadOf({ id: 3 }))).rejects.toThrow(
      'Data is out of order.',
    );
  });
});
