import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OperatedWorld } from '#test/push-operate-world';
import { CommandLine } from './cli-command-line.fixture.js';

const SERVER = '6f9619ff-8b86-4011-b42d-00cf4fc964ff';
const REALM = '11111111-8b86-4011-b42d-00cf4fc964ff';

let world: OperatedWorld;
let sut: CommandLine;

beforeAll(async () => {
  world = await OperatedWorld.start();
  sut = new CommandLine(world);
});
beforeEach(async () => {
  await prisma().remoteServer.deleteMany();
  const { id } = await prisma().remoteServer.create({
    data: {
      uuid: SERVER,
      keyHash: randomBytes(32),
      hostname: 'chat.test',
      contactEmail: 'admin@chat.test',
    },
  });
  await prisma().remoteRealm.create({
    data: {
      serverId: id,
      uuid: REALM,
      ownerSecretHash: randomBytes(32),
      host: 'chat.test',
      url: 'https://chat.test',
      name: 'Chat',
      orgType: 0,
      isDeactivated: false,
      createdAt: new Date(),
    },
  });
  await prisma().remoteDelivery.create({
    data: { serverId: id, deviceId: 1, platform: 'fcm', expiresAt: new Date() },
  });
});
afterAll(() => world.stop());

const prisma = () => world.database.prisma;

describe('carillon servers', () => {
  it('lists servers, and shows one by its host or id', async () => {
    expect(await sut.json('servers list')).toMatchObject({
      servers: [{ id: SERVER, hostname: 'chat.test', organisations: 1, devices: 0 }],
    });
    expect((await sut.run('servers list')).output).toContain('chat.test');
    for (const name of ['chat.test', SERVER]) {
      expect(await sut.json(`servers show ${name}`)).toMatchObject({
        contact_email: 'admin@chat.test',
        realms: [{ uuid: REALM, stopped_from: null }],
        deliveries: [{ platform: 'fcm', state: 'pending', deliveries: 1 }],
      });
    }
    expect((await sut.run('servers show chat.test')).output).toContain(REALM);
    expect(await sut.failure('servers show nowhere')).toMatchObject({ code: 'not_found' });
  });

  it('sets and removes limits', async () => {
    const limits = async () => {
      const { requestLimit, pushLimit } = await prisma().remoteServer.findFirstOrThrow();
      return [requestLimit, pushLimit];
    };
    await sut.json('servers limit chat.test --requests 5');
    await sut.json('servers limit chat.test --pushes 7');
    expect(await limits()).toEqual([5, 7]);
    await sut.json('servers limit chat.test --default');
    expect(await limits()).toEqual([null, null]);
    expect(await sut.run('servers limit chat.test')).toMatchObject({ exitCode: 2 });
  });

  it('stops and starts a server and an organisation', async () => {
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
    await sut.json(`servers stop ${REALM} --realm --at 2027-01-01T00:00:00Z`);
    expect(await prisma().remoteRealm.findFirst()).toMatchObject({
      stoppedFrom: new Date('2027-01-01T00:00:00Z'),
    });
    expect(await sut.failure(`servers stop ${SERVER} --realm`)).toMatchObject({
      code: 'not_found',
    });
    expect(await sut.run('servers stop chat.test --at soon')).toMatchObject({ exitCode: 2 });
  });
});
