import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { OpsApp } from '#test/ops-app';
import { useFixture } from '#test/use-fixture';

const HOST = 'chat.test';

describe('the servers of the ops page', () => {
  const sut = useFixture(() => OpsApp.start());
  const ids = useFixture(() => sut.world.addRemoteServer(HOST));

  const details = async () => (await sut.get(`/ops/api/servers/details?server=${HOST}`)).body;
  const change = (verb: string, fields: Record<string, string>) =>
    sut.post(`/ops/api/servers/${verb}`, fields);

  it('are listed without their keys and contacts', async () => {
    const { body } = await sut.get('/ops/api/servers');
    expect(body).toEqual({
      most: 200,
      servers: [
        {
          id: ids.server,
          host: HOST,
          version: null,
          registeredAt: expect.any(Number),
          seenAt: null,
          deactivatedAt: null,
          stoppedFrom: null,
          stopReason: null,
          requestsPerMinute: null,
          pushesPerSecond: null,
          mostPhones: null,
          organisations: 1,
          phones: 0,
        },
      ],
    });
    expect(await details()).toMatchObject({
      organisations: [{ id: ids.organisation, name: 'Chat', stoppedFrom: null }],
      deliveries: [{ platform: 'fcm', state: 'pending', deliveries: 1 }],
    });
  });

  it.each(['host', 'id'])('are stopped with a reason, and started, by %s', async (by) => {
    const server = by === 'host' ? HOST : ids.server;
    const shown = async () => (await sut.get('/ops/api/servers')).body['servers'];
    expect(await change('stop', { server, reason: 'Unpaid' })).toMatchObject({ status: 200 });
    expect(await shown()).toMatchObject([
      { stoppedFrom: expect.any(Number), stopReason: 'Unpaid' },
    ]);
    expect(await change('start', { server })).toMatchObject({ status: 200 });
    expect(await shown()).toMatchObject([{ stoppedFrom: null, stopReason: null }]);
  });

  it('get limits of their own, and the configured ones again', async () => {
    const limits = { server: HOST, requests: '5', pushes: '7', devices: '9' };
    expect(await change('limit', limits)).toMatchObject({ status: 200, body: {} });
    const shown = async () => (await sut.get('/ops/api/servers')).body['servers'];
    expect(await shown()).toMatchObject([
      { requestsPerMinute: 5, pushesPerSecond: 7, mostPhones: 9 },
    ]);
    const none = { server: ids.server, requests: '', pushes: '', devices: '' };
    expect(await change('limit', none)).toMatchObject({ status: 200 });
    expect(await shown()).toMatchObject([
      { requestsPerMinute: null, pushesPerSecond: null, mostPhones: null },
    ]);
  });

  it.each([
    ['an unknown server', { server: 'nowhere' }, 404, 'There is no such server.'],
    ['a limit of 0', { pushes: '0' }, 400, 'pushes: expected a number from 1 to 10000000'],
    ['a limit that is not a number', { devices: 'many' }, 400, 'devices: expected a number'],
    ['another member', { everything: 'true' }, 400, 'everything'],
  ])('get no limits from %s', async (_name, fields, status, text) => {
    const given = { server: HOST, requests: '5', pushes: '7', devices: '', ...fields };
    const reply = await change('limit', given);
    expect(reply).toMatchObject({ status, body: { error: expect.stringContaining(text) } });
    expect((await sut.get('/ops/api/servers')).body['servers']).toMatchObject([
      { requestsPerMinute: null, pushesPerSecond: null },
    ]);
  });

  it('are stopped as of a time', async () => {
    const at = Date.UTC(2030, 0, 1);
    expect(await change('stop', { server: HOST, at: String(at) })).toMatchObject({ status: 200 });
    const { servers } = (await sut.get('/ops/api/servers')).body as { servers: unknown };
    expect(servers).toMatchObject([{ stoppedFrom: at, stopReason: null }]);
    await change('start', { server: HOST });
    expect(await change('stop', { server: HOST, at: 'soon' })).toMatchObject({ status: 400 });
  });

  it('have organisations that are stopped and started', async () => {
    const { organisation } = ids;
    expect(await change('stop', { organisation })).toMatchObject({ status: 200 });
    expect(await details()).toMatchObject({ organisations: [{ stoppedFrom: expect.any(Number) }] });
    expect(await change('start', { organisation })).toMatchObject({ status: 200 });
    expect(await details()).toMatchObject({ organisations: [{ stoppedFrom: null }] });
  });

  it.each([
    ['an unknown server', { server: 'nowhere' }, 404, 'There is no such server.'],
    ['an unknown organisation', { organisation: randomUUID() }, 404, 'no such organisation'],
    ['nothing', {}, 400, 'expected exactly one of server and organisation'],
    ['a long reason', { server: HOST, reason: 'x'.repeat(501) }, 400, 'reason'],
  ])('refuse %s', async (_name, fields, status, text) => {
    const reply = await change('stop', fields as Record<string, string>);
    expect(reply).toMatchObject({ status, body: { error: expect.stringContaining(text) } });
  });

  it('need a sign-in', async () => {
    for (const verb of ['limit', 'stop', 'start']) {
      const request = { method: 'POST' } as const;
      expect((await sut.send(`/ops/api/servers/${verb}`, request)).status).toBe(401);
    }
    expect(await sut.send('/ops/api/servers')).toMatchObject({ status: 401 });
  });

  it('are found by the beginning of their hosts, the last seen first, and deactivated ones last', async () => {
    const { remoteServer } = sut.world.database.prisma;
    await sut.world.addRemoteServer('old.example.org');
    await sut.world.addRemoteServer('new.example.org');
    const seen = { hostname: 'old.example.org', seenAt: new Date(Date.now() + 1000) };
    await remoteServer.updateMany({ where: { hostname: seen.hostname }, data: seen });
    const gone = { seenAt: new Date(Date.now() + 2000), deactivatedAt: new Date() };
    await remoteServer.updateMany({ where: { hostname: HOST }, data: gone });
    const hosts = async (query: string) => {
      const { servers } = (await sut.get(`/ops/api/servers${query}`)).body as {
        servers: { host: string }[];
      };
      return servers.map(({ host }) => host);
    };
    expect(await hosts('')).toEqual(['old.example.org', 'new.example.org', HOST]);
    expect(await hosts('?host=NEW.')).toEqual(['new.example.org']);
    expect(await hosts('?host=%25')).toEqual([]);
  });
});
