import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PresenceRequest } from '#presence/rpc';
import { PresenceServer } from '#presence/server';
import { eventually } from '#test/eventually';
import { parseAnswer } from '#test/presence-realm';
import {
  CURSOR,
  hiding,
  HOST,
  request,
  ScriptedService,
  TransportWorld,
} from '#test/presence-transport-world';
import { connectionEnd } from '#test/fake-server';

describe('The presence transport', () => {
  let world: TransportWorld;

  beforeEach(async () => {
    world = await TransportWorld.create();
  });

  afterEach(() => world.end());

  it('gives each caller its own answer, in any order of answers', async () => {
    const service = new ScriptedService('a');
    await world.serve(service);
    const sut = await world.connect();
    service.hold();
    const userIds = Array.from({ length: 200 }, (_, index) => index + 1);
    const answers = Promise.all(userIds.map((userId) => sut.report(request(userId))));
    await eventually(() => expect(service.received).toHaveLength(200));
    service.letGo();
    expect(await answers).toEqual(userIds.map((userId) => `a ${userId}`));
  });

  it('carries an answer of many megabytes', async () => {
    const text = 'ä'.repeat(4_000_000);
    const service = new ScriptedService('a');
    service.report = async () => text;
    await world.serve(service);
    const sut = await world.connect();
    expect((await sut.report(request(1))) === text).toBe(true);
  });

  it('carries readings', async () => {
    await world.serve(new ScriptedService('a'));
    const sut = await world.connect();
    const viewer = { realmId: 3, userId: 1, isGuest: false };
    expect(await sut.readRealm(viewer)).toBe('a realm 3');
    expect(await sut.readUser({ ...viewer, askedUserId: 9 })).toEqual({ activeAt: 0, idleAt: 9 });
    expect(await sut.readOnline({ ...viewer, furtherViewers: [2], aboveId: 7 })).toEqual({
      users: [],
      position: 7,
    });
  });

  it('reads an answer without a report', async () => {
    const service = new ScriptedService('a');
    await world.serve(service);
    const sut = await world.connect();
    expect(await sut.readAnswer(request(1))).toBe('a 1');
    expect(service.received).toMatchObject([{ userId: 1, isVisible: false, encoding: null }]);
  });

  it('notifies every gateway of users who come online', async () => {
    const server = await world.serve(new ScriptedService('a'));
    const heard: (number | null)[] = [];
    for (const sut of [await world.connect(), await world.connect()]) {
      sut.onOnline((realmId) => heard.push(realmId));
    }
    server.notifyOnline(3);
    await eventually(async () => expect(heard).toEqual([3, 3]));
  });

  it('may have missed users who come online until it is connected again', async () => {
    const sut = world.open();
    const heard: (number | null)[] = [];
    sut.onOnline((realmId) => heard.push(realmId));
    const first = await world.serve(new ScriptedService('a'));
    await eventually(async () => expect(heard).toEqual([null]));
    await first.close();
    await world.serve(new ScriptedService('a'));
    await eventually(async () => expect(heard).toEqual([null, null]));
  });

  it('rejects a read that the process refuses, as an older release does, and keeps the connection', async () => {
    const service = new ScriptedService('a');
    service.readRealm = () => Promise.reject(new Error('Requests of kind 8 are not known'));
    await world.serve(service);
    const sut = await world.connect();
    await expect(sut.readRealm({ realmId: 3, userId: 1, isGuest: false })).rejects.toThrow(
      'kind 8',
    );
    expect(await sut.report(request(1))).toBe('a 1');
  });

  it('does not buffer refused requests', async () => {
    await world.serve(new ScriptedService('a'));
    const sut = await world.connect();
    const refused = await sut.report(request(1, { realmId: -1 }));
    expect(parseAnswer(refused)).toMatchObject({ presence_last_update_id: CURSOR, presences: {} });
    await sut.changeVisibility({ ...hiding(1, 5), changedAt: -1 });
    expect(sut.bufferedUsers).toBe(0);
    expect(await sut.report(request(1))).toBe('a 1');
  });

  it('accepts reports of gateways of an older release', async () => {
    const service = new ScriptedService('a');
    await world.serve(service);
    const sut = await world.connect();
    const { encoding: _, ...older } = request(1);
    // The request of such a gateway.
    expect(await sut.report(older as PresenceRequest)).toBe('a 1');
    expect(service.received).toEqual([request(1)]);
  });

  it.each([
    ['an oversized frame', Buffer.from([0xff, 0, 0, 0])],
    ['another version', Buffer.from([0, 0, 0, 6, 99, 1, 0, 0, 0, 1])],
    ['another protocol', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ])('closes a connection that sends %s, and no other connection', async (_what, bytes) => {
    await world.serve(new ScriptedService('a'));
    const sut = await world.connect();
    const stranger = connect({ host: HOST, port: world.portOf(0) });
    stranger.write(bytes);
    await connectionEnd(stranger);
    expect(await sut.report(request(1))).toBe('a 1');
  });

  it('listens on a free port for port 0', async () => {
    const server = new PresenceServer(new ScriptedService('a'));
    const port = await server.listen({ host: HOST, port: 0 });
    const probe = connect({ host: HOST, port });
    await once(probe, 'connect');
    expect((probe.address() as AddressInfo).address).toBe(HOST);
    probe.destroy();
    await server.close();
  });
});
