import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { badRequest, success } from '#test/answers';
import { untilLockWaits } from '#test/lock-waits';
import { RemoteServer } from '#test/remote-server';
import { useGateway } from '#test/start-gateway';

const system = useGateway();
let server: RemoteServer;

beforeEach(async () => {
  server = await RemoteServer.register(system.gatewayUrl);
});

const realmCount = (id: number) => ({
  property: 'messages_sent:is_bot:hour',
  realm: 2,
  id,
  end_time: 1_700_000_000.5,
  subgroup: null,
  value: 3,
});
const installationCount = (id: number) => {
  const { realm: _, ...row } = realmCount(id);
  return row;
};
const auditRow = (id: number, extra_data: unknown = null) => ({
  id,
  realm: 2,
  event_time: 1_700_000_000,
  backfilled: false,
  extra_data,
  event_type: 101,
});
const realmsOf = async () =>
  system.database.database.prisma.remoteRealm.findMany({
    where: { server: { uuid: server.id } },
    orderBy: { id: 'asc' },
  });

describe('GET /remotes/server/analytics/status', () => {
  it('has the last ids, which an upload raises', async () => {
    expect(await server.get('/server/analytics/status')).toMatchObject({
      ...success,
      body: { last_realm_count_id: 0, last_installation_count_id: 0, last_realmauditlog_id: 0 },
    });
    const reply = await server.upload({
      realm_counts: [realmCount(3), realmCount(9)],
      installation_counts: [installationCount(4)],
      realmauditlog_rows: [auditRow(1, '{"a":1}'), auditRow(2, { b: 1 })],
    });
    expect(reply).toMatchObject(success);
    expect(await server.get('/server/analytics/status')).toMatchObject({
      body: { last_realm_count_id: 9, last_installation_count_id: 4, last_realmauditlog_id: 2 },
    });
  });
});

describe('POST /remotes/server/analytics', () => {
  it('stores the organisations, and marks missing ones until they are back', async () => {
    const second = randomUUID();
    const realms = [server.describeRealm(), { ...server.describeRealm(second), name: 'Second' }];
    const status = { can_push: true, expected_end_timestamp: null };
    expect(await server.upload({ realms })).toMatchObject({
      ...success,
      body: { realms: { [server.realm]: status, [second]: status } },
    });
    await server.upload({ realms: [realms[1]] });
    expect(await realmsOf()).toMatchObject([
      { uuid: server.realm, locallyDeletedAt: expect.any(Date) },
      { uuid: second, name: 'Second', locallyDeletedAt: null },
    ]);
    const back = await server.upload({ realms: [server.describeRealm()] });
    expect(back.body['realms']).toEqual({ [server.realm]: status });
    expect(await realmsOf()).toMatchObject([
      { locallyDeletedAt: null },
      { locallyDeletedAt: expect.any(Date) },
    ]);
  });

  it('writes only organisations that change, and takes an id only for new ones', async () => {
    const stored = async () =>
      system.database.database.prisma.$queryRaw<{ id: number; version: string }[]>`
        SELECT realm.id, realm.xmin::text AS version FROM remote_realms realm
        JOIN remote_servers owner ON owner.id = realm.server_id
        WHERE owner.uuid = ${server.id}::uuid ORDER BY realm.id`;
    const [first] = await stored();
    await server.upload({ realms: [server.describeRealm()] });
    const realms = [server.describeRealm(), server.describeRealm(randomUUID())];
    await server.upload({ realms });
    expect(await stored()).toMatchObject([first, { id: Number(first?.id) + 1 }]);
  });

  it('takes the minimum of an old server, and changes no organisation', async () => {
    const reply = await server.post('/server/analytics', {
      realm_counts: '[]',
      installation_counts: '[]',
    });
    expect(reply).toMatchObject({ ...success, body: { realms: {} } });
    expect(await realmsOf()).toMatchObject([{ locallyDeletedAt: null }]);
  });

  it('stores nothing of a refused upload', async () => {
    const other = await RemoteServer.register(system.gatewayUrl);
    const realms = [server.describeRealm(randomUUID()), server.describeRealm(other.realm)];
    expect(await server.upload({ realms, realm_counts: [realmCount(1)] })).toMatchObject(
      badRequest('Duplicate registration detected.'),
    );
    expect(await realmsOf()).toMatchObject([{ uuid: server.realm, locallyDeletedAt: null }]);
    const status = await server.get('/server/analytics/status');
    expect(status.body['last_realm_count_id']).toBe(0);
  });

  it('refuses organisations beyond the limit of a server, also in place of earlier ones', async () => {
    const [known] = await realmsOf();
    await system.database.database.prisma.$executeRaw`
      INSERT INTO remote_realms (
        server_id, uuid, owner_secret_hash, host, url, name, org_type, is_deactivated, created_at,
        locally_deleted_at
      )
      SELECT ${known?.serverId}, gen_random_uuid(), '', '', '', '', 0, false, now(), now()
      FROM generate_series(2, 10000)`;
    const realms = [server.describeRealm(randomUUID())];
    expect(await server.upload({ realms, realm_counts: [realmCount(1)] })).toMatchObject(
      badRequest('Too many registered organizations'),
    );
    expect(await server.upload({ realms: [server.describeRealm()] })).toMatchObject(success);
    expect(await realmsOf()).toHaveLength(10_000);
  });

  it('refuses ids that do not rise', async () => {
    await server.upload({ realm_counts: [realmCount(5)] });
    for (const ids of [[5], [6, 6], [7, 6]]) {
      expect(await server.upload({ realm_counts: ids.map(realmCount) })).toMatchObject(
        badRequest('Data is out of order.'),
      );
    }
  });

  it.each([
    [{ realm_counts: undefined }, "Missing 'realm_counts' argument"],
    [{ realm_counts: '{' }, 'realm_counts is not valid JSON'],
    [{ realmauditlog_rows: [auditRow(1, '{')] }, 'Malformed audit log data'],
    [{ realms: [{ x: 1 }] }, 'id field is missing: Field required'],
  ])('refuses %j', async (fields, msg) => {
    const given = Object.entries({ realm_counts: [], installation_counts: [], ...fields });
    const sent = Object.fromEntries(given.filter(([, value]) => value !== undefined));
    const reply = await server.post('/server/analytics', sent);
    expect(reply.status).toBe(400);
    expect(reply.body['msg']).toContain(msg);
  });

  it('refuses unknown kinds and members of organisations', async () => {
    const realm = server.describeRealm();
    expect(await server.upload({ realms: [{ ...realm, org_type: 11 }] })).toMatchObject(
      badRequest('Invalid realms[0]["org_type"]: Value error, Not a valid org_type value'),
    );
    const reply = await server.upload({ realms: [{ ...realm, odd: 1 }] });
    expect(reply).toMatchObject({ status: 400 });
    expect(reply.body['msg']).toContain('is unexpected');
  });

  /** Runs `during` while no upload of the server can be stored. Its result is in an object, as uploads end afterwards. */
  const whileLocked = <Result>(during: () => Promise<{ result: Result }>) =>
    system.database.database.transaction(async (transaction) => {
      const lock = 'SELECT FROM remote_servers WHERE uuid = $1 FOR UPDATE';
      await transaction.query('lock_uploading_server', lock, [server.id]);
      return during();
    });

  it('stores uploads of a server one after the other, and those of others meanwhile', async () => {
    const other = await RemoteServer.register(system.gatewayUrl);
    const second = randomUUID();
    const { result } = await whileLocked(async () => {
      const realms = [server.describeRealm(), server.describeRealm(second)];
      const uploads = [server.upload()];
      await untilLockWaits(system.database.database, 1, 'remote_servers');
      uploads.push(server.upload({ realms }));
      expect(await other.upload()).toMatchObject(success);
      return { result: uploads };
    });
    for (const reply of await Promise.all(result)) expect(reply).toMatchObject(success);
    expect(await realmsOf()).toMatchObject([
      { locallyDeletedAt: null },
      { uuid: second, locallyDeletedAt: null },
    ]);
  });

  it('refuses an upload while many of the server wait', async () => {
    const { result } = await whileLocked(async () => {
      const uploads = Array.from({ length: 6 }, () => server.upload());
      expect(await Promise.race(uploads)).toMatchObject({
        status: 429,
        headers: { 'retry-after': '1' },
        body: { code: 'RATE_LIMIT_HIT' },
      });
      return { result: uploads };
    });
    const statuses = (await Promise.all(result)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 200, 200, 200, 200, 429]);
  });

  it('takes ten thousand rows of a kind', async () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => realmCount(index + 1));
    expect(await server.upload({ realm_counts: rows })).toMatchObject(success);
  });
});
