import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.js';
import { HOST, request, ScriptedService, TransportWorld } from './presence-transport.world.js';

describe('The presence transport, with two processes', () => {
  let world: TransportWorld;

  beforeEach(async () => {
    world = await TransportWorld.create();
  });

  afterEach(() => world.end());

  it('spreads users over the processes and keeps each with one', async () => {
    await world.serve(new ScriptedService('a'), 0);
    await world.serve(new ScriptedService('b'), 1);
    const sut = await world.connect({ processes: 2 });
    await eventually(async () => {
      const answers = await Promise.all([1, 2, 1, 2].map((userId) => sut.report(request(userId))));
      expect(answers).toEqual(['b 1', 'a 2', 'b 1', 'a 2']);
    });
  });

  it('asks another process when the connection is lost', async () => {
    const sockets: Socket[] = [];
    const deaf = createServer((socket) => sockets.push(socket)).listen(world.portOf(1), HOST);
    world.closeLater(() => deaf.close());
    await once(deaf, 'listening');
    await world.serve(new ScriptedService('a'), 0);
    const sut = await world.connect({ processes: 2 });
    await eventually(() => expect(sockets).toHaveLength(1));
    const answer = sut.report(request(1));
    await once(sockets[0] ?? deaf, 'data');
    for (const socket of sockets) socket.destroy();
    expect(await answer).toBe('a 1');
  });

  it('answers what is under way when a process stops, and goes elsewhere then', async () => {
    const [first, second] = [new ScriptedService('a'), new ScriptedService('b')];
    const server = await world.serve(first, 0);
    await world.serve(second, 1);
    const sut = await world.connect({ processes: 2 });
    await eventually(async () => expect(await sut.report(request(2))).toBe('a 2'));
    first.hold();
    const underWay = sut.report(request(2));
    await eventually(() => expect(first.told).toHaveLength(2));
    const closed = server.close();
    const elsewhere: unknown[] = [];
    await eventually(() => {
      void sut.report(request(4)).then((answer) => elsewhere.push(answer));
      expect(elsewhere).toContain('b 4');
    });
    first.letGo();
    expect(await underWay).toBe('a 2');
    await closed;
  });

  it('asks nobody who takes connections and says nothing', async () => {
    const hung = createServer().listen(world.portOf(0), HOST);
    world.closeLater(() => hung.close());
    await world.serve(new ScriptedService('b'), 1);
    const sut = await world.connect({ processes: 2 });
    // Its place is that of the one that hangs.
    expect(await sut.report(request(2))).toBe('b 2');
    expect(sut.openConnections).toBe(1);
  });
});
