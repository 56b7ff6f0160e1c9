import { describe, expect, it } from '@jest/globals';
import { Database } from '#platform/database';
import { startSwitchableProxy } from '#test/switchable-proxy';
import { startTcpProxy } from '#test/tcp-proxy';
import { useDatabase } from '#test/use-fixture';

describe(Database.name, () => {
  const stores = useDatabase();

  it('sends a prepared statement', async () => {
    const send = () =>
      stores.database.query<{ sum: number }>('add', 'SELECT $1::int + $2::int AS sum', [1, 2]);
    expect(await send()).toEqual([{ sum: 3 }]);
    expect(await send()).toEqual([{ sum: 3 }]);
  });

  it('sets a timeout for the statements of every connection', async () => {
    const limit = await stores.database.query<{ statement_timeout: string }>(
      'limit',
      'SHOW statement_timeout',
    );
    expect(limit).toEqual([{ statement_timeout: '15s' }]);
    const [seen] = await stores.database.prisma.$queryRaw<unknown[]>`SHOW statement_timeout`;
    expect(seen).toEqual({ statement_timeout: '15s' });
  });

  it('applies its settings with a statement, which a pooler permits', async () => {
    const sut = new Database({ url: stores.url, poolSize: 1, findsByIndex: true });
    const seen = await sut.query(
      'seen',
      `SELECT name, setting, source FROM pg_settings
       WHERE name IN ('enable_seqscan', 'jit', 'plan_cache_mode', 'statement_timeout') ORDER BY 1`,
    );
    // "session": set by a statement. Poolers refuse settings in the start message ("client").
    expect(seen).toEqual([
      { name: 'enable_seqscan', setting: 'off', source: 'session' },
      { name: 'jit', setting: 'off', source: 'session' },
      { name: 'plan_cache_mode', setting: 'force_generic_plan', source: 'session' },
      { name: 'statement_timeout', setting: '15000', source: 'session' },
    ]);
    await sut.onApplicationShutdown();
  });

  it.each([
    ['2026-01-02 03:04:05+00', new Date('2026-01-02T03:04:05Z')],
    ['2026-01-02 03:04:05.678+02', new Date('2026-01-02T01:04:05.678Z')],
    ['2026-01-02 03:04:05.678912+00', new Date('2026-01-02T03:04:05.678Z')],
    ['0099-01-02 03:04:05+00', new Date('0099-01-02T03:04:05Z')],
    ['12026-01-02 03:04:05+00', new Date('+012026-01-02T03:04:05Z')],
    ['0044-03-15 00:00:00+00 BC', new Date('-000043-03-15T00:00:00Z')],
    ['infinity', Number.POSITIVE_INFINITY],
    [null, null],
  ])('reads the time %s', async (text, expected) => {
    const rows = await stores.database.query('one_time', 'SELECT $1::timestamptz AS at', [text]);
    expect(rows).toEqual([{ at: expected }]);
  });

  it.each([
    ['{}', []],
    ['{3,-1,2147483647}', [3, -1, 2_147_483_647]],
    ['{1,NULL}', [1, null]],
    [
      '{{1,2},{3,4}}',
      [
        [1, 2],
        [3, 4],
      ],
    ],
    ['[0:1]={1,2}', [1, 2]],
    [null, null],
  ])('reads the integers %s', async (text, expected) => {
    const rows = await stores.database.query('integers', 'SELECT $1::int[] AS integers', [text]);
    expect(rows).toEqual([{ integers: expected }]);
  });

  it.each([
    ['int[]', [1, -2, 3]],
    ['bigint[]', [2 ** 40]],
    ['int[]', [1, null]],
    ['float8[]', [1.5, 2]],
    ['text[]', ['1', '{', 'a"b']],
    ['int[]', []],
  ])('takes a list of the type %s', async (type, list) => {
    const text = `SELECT $1::${type} AS list`;
    expect(await stores.database.query(`list ${type}`, text, [list])).toEqual([
      { list: type === 'bigint[]' ? list.map(String) : list },
    ]);
  });

  it('reads times correctly from a database with another time zone', async () => {
    const name = new URL(stores.url).pathname.slice(1);
    await stores.database.query('zone', `ALTER DATABASE "${name}" SET timezone = 'Asia/Kathmandu'`);
    const sut = new Database({ url: stores.url, poolSize: 1 });
    const createdAt = new Date('2027-01-01T00:00:00Z');
    await sut.prisma.realm.create({ data: { subdomain: 'zone', name: 'Zone', createdAt } });
    const read = await sut.prisma.realm.findFirstOrThrow({ where: { subdomain: 'zone' } });
    expect(read.createdAt).toEqual(createdAt);
    expect(
      await sut.query('time', `SELECT created_at FROM realms WHERE subdomain = 'zone'`),
    ).toEqual([{ created_at: createdAt }]);
    await sut.onApplicationShutdown();
  });

  it('treats email addresses of an organisation as case-insensitive', async () => {
    const { prisma } = stores.database;
    const realm = await prisma.realm.create({ data: { subdomain: 'case', name: 'Case' } });
    const add = (deliveryEmail: string, apiKeyHash: Uint8Array<ArrayBuffer>) =>
      prisma.user.create({
        data: {
          realmId: realm.id,
          deliveryEmail,
          email: deliveryEmail,
          fullName: 'Someone',
          role: 400,
          apiKeyHash,
          apiKeySealed: new Uint8Array(),
        },
      });
    await add('someone@chat.test', new Uint8Array([1]));
    await expect(add('SomeOne@chat.test', new Uint8Array([2]))).rejects.toMatchObject({
      code: 'P2002',
    });
  });

  it('gives up on a server that says nothing any more, and serves when it speaks again', async () => {
    const proxy = await startSwitchableProxy(stores.url);
    const sut = new Database({ url: proxy.url, poolSize: 2, answerTimeoutMs: 300 });
    const select = () => sut.query('one', 'SELECT 1');
    await Promise.all([sut.ping(), select(), select()]);
    proxy.stall();
    const heldAt = performance.now();
    await expect(sut.ping()).rejects.toThrow('Query read timeout');
    await expect(sut.transaction(async () => undefined)).rejects.toThrow('Query read timeout');
    expect(performance.now() - heldAt).toBeLessThan(10_000);
    await expect(sut.prisma.realm.count()).rejects.toThrow(/timeout/);
    proxy.resume();
    await sut.ping();
    expect(await sut.prisma.realm.count()).toBeGreaterThanOrEqual(0);
    await sut.onApplicationShutdown();
    await proxy.stop();
  });

  it('fails with a code or text of an outage while the server is down, and works when it is back', async () => {
    const proxy = await startTcpProxy(stores.url);
    const sut = new Database({ url: proxy.url, poolSize: 2 });
    await sut.ping();
    await proxy.close();
    await expect(sut.ping()).rejects.toThrow(/ECONNREFUSED|terminated/);
    await expect(sut.prisma.realm.count()).rejects.toMatchObject({ code: 'P1001' });
    await proxy.reopen();
    await expect(sut.ping()).resolves.toBeUndefined();
    expect(await sut.prisma.realm.count()).toEqual(expect.any(Number));
    await sut.onApplicationShutdown();
    await proxy.close();
  });

  it('finds that PostgreSQL is read-only', async () => {
    const writable = new Database({ url: stores.url, poolSize: 1 });
    await expect(writable.checkWrites()).resolves.toBeUndefined();
    const readOnlyUrl = new URL(stores.url);
    readOnlyUrl.searchParams.set('options', '-c default_transaction_read_only=on');
    const readOnly = new Database({ url: readOnlyUrl.href, poolSize: 1 });
    await expect(readOnly.ping()).resolves.toBeUndefined();
    await expect(readOnly.checkWrites()).rejects.toThrow('PostgreSQL is read-only');
    for (const database of [writable, readOnly]) await database.onApplicationShutdown();
  });

  it('is reachable while all its connections are in use', async () => {
    const sut = new Database({ url: stores.url, poolSize: 1 });
    await sut.transaction(async () => {
      await expect(sut.ping()).resolves.toBeUndefined();
    });
    await sut.onApplicationShutdown();
  });

  it('can be closed repeatedly', async () => {
    const sut = new Database({ url: stores.url, poolSize: 1 });
    await sut.ping();
    await sut.onApplicationShutdown();
    await expect(sut.onApplicationShutdown()).resolves.toBeUndefined();
    await expect(sut.ping()).rejects.toThrow('Cannot use a pool after calling end');
  });
});
