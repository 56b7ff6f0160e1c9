import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { roles } from '#directory/roles';
import { PubSub } from '#platform/redis';
import { RevokedPushes } from '#push/revocations';
import { eventually } from '#test/eventually';
import { RecordingTerminal } from '#test/recording-terminal';
import { addAda, CommandLine } from './cli-command-line.fixture.js';
import { useOperatedWorld } from '#test/push-operate-world';
import { useFixture } from '#test/use-fixture';

const world = useOperatedWorld();
const sut = new CommandLine(world);
const ada = useFixture(() => addAda(world));

describe('carillon devices', () => {
  const phoneJson = () => ({
    id: ada.phone.id,
    platform: 'apns',
    app_id: 'org.carillon.demo',
    environment: null,
    fingerprint: ada.phone.fingerprint,
    registered_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    is_encrypted: false,
    is_reached: true,
  });

  it.each([
    ['id', () => String(ada.id)],
    ['address in another case', () => 'Ada@Example.org'],
    ['address and organisation', () => 'ada@example.org -o chat'],
  ])('lists the phones of a user by %s', async (_, user) => {
    expect(await sut.json(`devices list ${user()}`)).toEqual({
      user: ada.json,
      devices: [phoneJson()],
    });
  });

  it('prints a table without tokens', async () => {
    const { exitCode, output } = await sut.run(`devices list ${ada.id}`);
    expect(exitCode).toBe(0);
    expect(output).toContain('Somebody <ada@example.org>');
    expect(output).toContain(': 1 device\n');
    expect(output).toContain(ada.phone.fingerprint);
    expect(output).not.toContain(ada.phone.token);
  });

  it('explains how to name a user', async () => {
    for (const user of [
      'eve@example.org',
      '2000000000',
      '99999999999',
      'ada@example.org -o acme',
    ]) {
      expect(await sut.failure(`devices list ${user}`)).toEqual({
        code: 'unknown_user',
        message: expect.stringContaining('--organisation'),
      });
    }
  });

  it('requires the organisation if several accounts have the address', async () => {
    const other = await world.database.prisma.realm.create({
      data: { subdomain: '', name: 'Root' },
    });
    const twin = await world.addPerson('twin@example.org');
    const { id } = await world.database.prisma.user.create({
      data: {
        realmId: other.id,
        deliveryEmail: twin.email,
        email: twin.email,
        fullName: 'Twin',
        role: roles.member,
        apiKeyHash: new Uint8Array(randomBytes(32)),
        apiKeySealed: new Uint8Array(),
      },
    });
    expect(await sut.failure('devices list twin@example.org')).toEqual({
      code: 'ambiguous_user',
      message: expect.stringContaining(`${id}  in '' (Root)`),
    });
    expect(await sut.json("devices list twin@example.org -o ''")).toMatchObject({ user: { id } });
  });

  it('removes the given devices or all devices and lists them', async () => {
    const { id } = await world.addPerson();
    const devices = [
      await world.addDevice(id),
      await world.addDevice(id),
      await world.addDevice(id),
    ];
    const [first, ...others] = devices.map((device) => device.id);
    expect(await sut.json(`devices remove ${id} ${first} --yes`)).toMatchObject({
      removed: [first],
    });
    expect(await sut.json(`devices remove ${id} --all --yes`)).toMatchObject({ removed: others });
    expect(await sut.json(`devices list ${id}`)).toMatchObject({ devices: [] });
  });

  it('lists client devices with a token, and removes them with their events', async () => {
    const { id, realmId, keyGeneration } = await world.addPerson();
    const [registered, unregistered] = await world.database.prisma.clientDevice.createManyAndReturn(
      {
        data: [{ pushTokenId: new Uint8Array(8), platform: 'fcm' }, {}].map((device) => ({
          ...device,
          userId: id,
          realmId,
          keyGeneration,
          tokenUpdatedAt: new Date(),
        })),
      },
    );
    expect(await sut.json(`devices list ${id}`)).toMatchObject({
      devices: [
        {
          id: registered?.id,
          platform: 'fcm',
          is_encrypted: true,
          fingerprint: '0'.repeat(12),
          is_reached: true,
        },
      ],
    });
    expect(await sut.json(`devices remove ${id} --all --yes`)).toMatchObject({
      removed: [registered?.id, unregistered?.id],
    });
    const events = await world.database.prisma.event.findMany({ where: { type: 'device' } });
    expect(events.map(({ body }) => body)).toEqual([
      { op: 'remove', device_id: registered?.id },
      { op: 'remove', device_id: unregistered?.id },
    ]);
  });

  it('announces removed devices to the workers', async () => {
    const revoked = new RevokedPushes(world.operator.get(PubSub, { strict: false }), world);
    revoked.onModuleInit();
    const { id, realmId, keyGeneration } = await world.addPerson();
    const phone = await world.addDevice(id);
    const client = await world.database.prisma.clientDevice.create({
      data: { userId: id, realmId, keyGeneration, tokenUpdatedAt: new Date() },
    });
    let answer = () => {};
    const claimStartedAt = performance.now();
    const isRevoked = (deviceId: number) =>
      revoked.isRevoked({ subjects: [`device ${deviceId}`], claimStartedAt });
    const push = new Promise<void>((resolve) => (answer = resolve));
    void revoked.track([`device ${phone.id}`], push);
    let isDone = false;
    const command = sut.json(`devices remove ${id} --all --yes`).then(() => (isDone = true));
    await eventually(() => expect(isRevoked(phone.id)).toBe(true));
    expect(isRevoked(client.id)).toBe(true);
    expect(isDone).toBe(false);
    answer();
    await command;
  });

  it('removes devices while Redis is down', async () => {
    const { id } = await world.addPerson();
    const phone = await world.addDevice(id);
    const away = new CommandLine(world, 'redis://127.0.0.1:1');
    expect(await away.json(`devices remove ${id} ${phone.id} --yes`)).toMatchObject({
      removed: [phone.id],
    });
  });

  it('removes nothing without a confirmation', async () => {
    const unasked = await sut.run(`devices remove ${ada.id} --all`);
    expect(unasked.exitCode).toBe(2);
    const person = new RecordingTerminal({ says: 'n' });
    expect((await sut.run(`devices remove ${ada.id} ${ada.phone.id}`, person)).exitCode).toBe(1);
    expect(person.asked).toEqual(['Remove 1 device of Somebody? [y/N] ']);
    expect(await sut.json(`devices list ${ada.id}`)).toMatchObject({ devices: [phoneJson()] });
  });

  it('removes nothing if one of the devices belongs to another user', async () => {
    const strange = await world.addDevice((await world.addPerson()).id);
    const command = `devices remove ${ada.id} ${ada.phone.id} ${strange.id} --yes`;
    expect(await sut.failure(command)).toMatchObject({ code: 'unknown_device' });
    expect(await sut.json(`devices list ${ada.id}`)).toMatchObject({ devices: [phoneJson()] });
  });
});
