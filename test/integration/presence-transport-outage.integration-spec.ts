import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { greetGateway } from '../support/presence-greeting.js';
import { parseAnswer } from '../support/presence-realm.js';
import {
  CURSOR,
  hiding,
  HOST,
  request,
  ScriptedService,
  TransportWorld,
} from './presence-transport.world.js';

describe('The presence transport, while no process answers', () => {
  let world: TransportWorld;

  beforeEach(async () => {
    world = await TransportWorld.create();
  });

  afterEach(() => world.end());

  it('moves no cursor while no process can be reached, and tells one when it is back', async () => {
    // What is not told within it is told again, and here each is counted.
    const sut = world.open({ deadlineMs: 1000 });
    expect(parseAnswer(await sut.report(request(1)))).toEqual({
      presence_last_update_id: CURSOR,
      server_timestamp: expect.any(Number),
      presences: {},
    });
    const later = request(1, { reportedAt: 1100, lastUpdateId: null, pingOnly: true });
    expect(parseAnswer(await sut.report(later))).toEqual({ presence_last_update_id: -1 });
    const idle = request(1, { status: 'idle', reportedAt: 1050 });
    await sut.report(idle);
    await sut.report(request(2, { isVisible: false }));
    await sut.changeVisibility(hiding(3, 1000));
    expect(sut.heldUsers).toBe(2);
    const service = new ScriptedService('a');
    await world.serve(service);
    await eventually(() => {
      expect(service.told).toEqual(
        expect.arrayContaining([{ ...idle, pingOnly: true }, later, hiding(3, 1000)]),
      );
    });
    expect(service.told).toHaveLength(3);
    expect(sut.heldUsers).toBe(0);
  });

  it('answers without the process when it takes too long, and tells it again', async () => {
    const service = new ScriptedService('a');
    await world.serve(service);
    const sut = await world.connect({ deadlineMs: 500 });
    service.hold();
    expect(parseAnswer(await sut.report(request(1)))).toMatchObject({
      presence_last_update_id: CURSOR,
    });
    expect(sut.heldUsers).toBe(1);
    service.letGo();
    await eventually(() => expect(service.told).toHaveLength(2));
    expect(service.told[1]).toEqual(request(1, { pingOnly: true }));
  });

  it('tells what it holds before it closes', async () => {
    const service = new ScriptedService('a');
    await world.serve(service);
    const sut = await world.connect({ deadlineMs: 500 });
    service.hold();
    await sut.report(request(1));
    expect(sut.heldUsers).toBe(1);
    service.letGo();
    await sut.close();
    expect(service.told).toHaveLength(2);
    expect(sut.heldUsers).toBe(0);
  });

  it('gives up a connection that brings nothing any more', async () => {
    let connections = 0;
    const deaf = createServer((socket) => {
      connections += 1;
      // It answers the handshake, and nothing after.
      void greetGateway(socket);
    });
    deaf.listen(world.portOf(0), HOST);
    world.closeLater(() => deaf.close());
    const sut = await world.connect({ deadlineMs: 50 });
    await sut.report(request(1));
    await eventually(() => expect(connections).toBeGreaterThan(1));
  });

  it('rejects a reading that nobody answers, in time', async () => {
    const sut = world.open({ deadlineMs: 50 });
    const viewer = { realmId: 3, userId: 1, isGuest: false };
    await expect(sut.readRealm(viewer)).rejects.toThrow('No presence process can be reached');
    await expect(sut.readUser({ ...viewer, askedUserId: 9 })).rejects.toThrow(
      'No presence process can be reached',
    );
  });
});
