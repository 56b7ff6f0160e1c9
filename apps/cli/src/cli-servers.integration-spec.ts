import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PushRevocations } from '#push/revocations';
import { type RemoteServerIds, useOperatedWorld } from '#test/push-operate-world';
import { CommandLine } from './cli-command-line.fixture.js';

/** The timers that stay real: all but Date. */
const REAL_TIMERS = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;

const world = useOperatedWorld();
const sut = new CommandLine(world);
let ids: RemoteServerIds;
beforeEach(async () => {
  await prisma().remoteServer.deleteMany();
  ids = await world.addRemoteServer('chat.test');
});

const prisma = () => world.database.prisma;

describe('carillon servers', () => {
  it('lists servers, and shows one by its host or id', async () => {
    expect(await sut.json('servers list')).toMatchObject({
      servers: [{ id: ids.server, hostname: 'chat.test', organisations: 1, devices: 0 }],
    });
    expect((await sut.run('servers list')).output).toContain('chat.test');
    for (const name of ['chat.test', ids.server]) {
      expect(await sut.json(`servers show ${name}`)).toMatchObject({
        server: { id: ids.server, contact_email: 'admin@chat.test', organisations: 1 },
        organisations: [{ id: ids.organisation, stopped_from: null }],
        deliveries: [{ platform: 'fcm', state: 'pending', deliveries: 1 }],
      });
    }
    expect((await sut.run('servers show chat.test')).output).toContain(ids.organisation);
    expect(await sut.failure('servers show nowhere')).toMatchObject({ code: 'not_found' });
  });

  it('sets and removes limits', async () => {
    const limits = async () => {
      const { requestLimit, pushLimit, deviceLimit } =
        await prisma().remoteServer.findFirstOrThrow();
      return [requestLimit, pushLimit, deviceLimit];
    };
    await sut.json('servers limit chat.test --requests 5');
    await sut.json('servers limit chat.test --pushes 7');
    await sut.json('servers limit chat.test --devices 9');
    expect(await limits()).toEqual([5, 7, 9]);
    await sut.json('servers limit chat.test --default');
    expect(await limits()).toEqual([null, null, null]);
    expect(await sut.run('servers limit chat.test')).toMatchObject({ exitCode: 2 });
  });

  it('stops a server as of the time of PostgreSQL, also from a host with a wrong clock', async () => {
    const before = Date.now();
    jest.useFakeTimers({ now: before + 3_600_000, doNotFake: [...REAL_TIMERS] });
    try {
      await sut.json('servers stop chat.test');
    } finally {
      jest.useRealTimers();
    }
    const { stoppedFrom } = await prisma().remoteServer.findFirstOrThrow();
    expect(Number(stoppedFrom)).toBeGreaterThan(before - 10_000);
    expect(Number(stoppedFrom)).toBeLessThan(before + 600_000);
  });

  it('stops and starts a server and an organisation', async () => {
    const revoke = jest.spyOn(PushRevocations.prototype, 'revokeSender');
    await sut.json('servers stop chat.test --reason Unpaid');
    expect(await prisma().remoteServer.findFirst()).toMatchObject({
      stoppedFrom: expect.any(Date),
      stopReason: 'Unpaid',
    });
    await sut.json('servers start chat.test');
    expect(await prisma().remoteServer.findFirst()).toMatchObject({
      stoppedFrom: null,
      stopReason: null,
    });
    await sut.json(`servers stop ${ids.organisation} --realm --at 2027-01-01T00:00:00Z`);
    const [server, realm] = [
      await prisma().remoteServer.findFirst(),
      await prisma().remoteRealm.findFirst(),
    ];
    expect(revoke.mock.calls).toEqual([
      ['server', server?.id],
      ['realm', realm?.id],
    ]);
    revoke.mockRestore();
    expect(await prisma().remoteRealm.findFirst()).toMatchObject({
      stoppedFrom: new Date('2027-01-01T00:00:00Z'),
    });
    expect(await sut.failure(`servers stop ${ids.server} --realm`)).toMatchObject({
      code: 'not_found',
    });
    const { output } = await sut.run('servers stop chat.test --at 2027-01-01T00:00:00Z');
    expect(output).toBe('chat.test: is stopped from 2027-01-01 00:00:00 (UTC) on.');
    await sut.json('servers start chat.test');
    expect(await sut.run('servers stop chat.test --at soon')).toMatchObject({ exitCode: 2 });
    expect(await prisma().remoteServer.findFirst()).toMatchObject({ stoppedFrom: null });
  });
});
