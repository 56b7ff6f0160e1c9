import { type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PresenceClient } from '#presence/client';
import { eventually } from '#test/eventually';
import { greetGateway } from '#test/presence-greeting';
import {
  DISCOVERY_MS,
  FakeNames,
  hiding,
  HOST,
  request,
  ScriptedService,
  TransportWorld,
} from '#test/presence-transport-world';
import { createFakeServer } from '#test/fake-server';

/** So many that each of two processes gets some of them, except once in a million runs. */
const REALMS = Array.from({ length: 20 }, (_, index) => index + 1);

/** After this time a client has noticed the new addresses of a name. */
const NOTICED_MS = 5 * DISCOVERY_MS;

describe('The presence transport, with processes behind a name', () => {
  let world: TransportWorld;
  let names: FakeNames;
  let a: ScriptedService;
  let b: ScriptedService;

  beforeEach(async () => {
    world = await TransportWorld.create();
    names = new FakeNames();
    [a, b] = [new ScriptedService('a'), new ScriptedService('b')];
  });

  afterEach(() => world.end());

  /** The processes that answer for many organisations. */
  async function processesOf(client: PresenceClient): Promise<Set<unknown>> {
    const asked = REALMS.map((realmId) => client.report(request(realmId, { realmId })));
    return new Set((await Promise.all(asked)).map((answer) => String(answer).split(' ')[0]));
  }

  /** A client of the process in this slot, behind the name. */
  async function connectTo(index: number): Promise<PresenceClient> {
    names.standFor(world.portOf(index));
    return world.connect({ names });
  }

  /** Resolves the name only to the process in this slot, and waits until it is connected. */
  async function moveTo(client: PresenceClient, index: number): Promise<void> {
    const { connections } = world.counters;
    names.standFor(world.portOf(index));
    await eventually(() => expect(world.counters.connections).toBe(connections + 1));
    await eventually(() => expect(client.addresses).toBe(1));
  }

  it('buffers requests until the name is resolved, and then sends them', async () => {
    await world.serve(a);
    const sut = world.open({ names, deadlineMs: 200 });
    await sut.report(request(1));
    expect(sut.bufferedUsers).toBe(1);
    expect([sut.openConnections, sut.addresses]).toEqual([0, 1]);
    expect(sut.counters.failedLookups).toBeGreaterThan(0);
    names.standFor(world.portOf(0));
    const sent = { ...request(1, { pingOnly: true }), sentAt: expect.any(Number) };
    await eventually(() => expect(a.received).toEqual([sent]));
    // The other side may read the request before this side has noted that the connection is open.
    await eventually(() => expect([sut.openConnections, sut.addresses]).toEqual([1, 1]));
  });

  it('answers at once after the deadline if the name is never resolved', async () => {
    const sut = world.open({ names, deadlineMs: 200 });
    // The timer of the first wait may end a moment before the deadline.
    await sut.report(request(1));
    await sut.report(request(1));
    const answered = sut.report(request(1)).then(() => 'answered');
    expect(await Promise.race([answered, nextTurn('waits')])).toBe('answered');
  });

  it('keeps using the known processes while the lookup fails', async () => {
    await world.serve(a);
    const sut = await connectTo(0);
    names.fail();
    await eventually(() => expect(sut.counters.failedLookups).toBeGreaterThan(2));
    expect(await processesOf(sut)).toEqual(new Set(['a']));
    expect(world.counters.connections).toBe(1);
  });

  it('uses an added process, and keeps the connections to the others', async () => {
    await world.serve(a, 0);
    await world.serve(b, 1);
    const sut = await connectTo(0);
    expect(await processesOf(sut)).toEqual(new Set(['a']));
    names.standFor(world.portOf(1), world.portOf(0));
    await eventually(async () => expect(await processesOf(sut)).toEqual(new Set(['a', 'b'])));
    expect(sut.addresses).toBe(2);
    expect(world.counters.connections).toBe(2);
  });

  it('sends an added process nothing before it has proved that it knows the secret', async () => {
    const [secret, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    await world.serve(a, 0, secret);
    await world.serve(b, 1, other);
    names.standFor(world.portOf(0));
    const sut = await world.connect({ names, secret });
    names.standFor(world.portOf(0), world.portOf(1));
    await eventually(() => expect(sut.counters.refusedConnections).toBeGreaterThan(1));
    expect(await processesOf(sut)).toEqual(new Set(['a']));
    expect([sut.openConnections, sut.addresses]).toEqual([1, 2]);
    expect(b.received).toEqual([]);
  });

  it('completes the calls of a removed process, sends it no more, and closes its connection', async () => {
    await world.serve(a, 0);
    await world.serve(b, 1);
    const sut = await connectTo(0);
    a.hold();
    const underWay = sut.report(request(1));
    await eventually(() => expect(a.received).toHaveLength(1));
    await moveTo(sut, 1);
    const received = a.received.length;
    expect(await processesOf(sut)).toEqual(new Set(['b']));
    expect(a.received).toHaveLength(received);
    expect(world.counters.connections).toBe(2);
    a.letGo();
    expect(await underWay).toBe('a 1');
    await eventually(() => expect(world.counters.connections).toBe(1));
    await delay(NOTICED_MS);
    expect(world.counters.connections).toBe(1);
  });

  it('repeats a call at another process if its process was removed and then fails', async () => {
    const sockets: Socket[] = [];
    const asked: Socket[] = [];
    const deaf = createFakeServer((socket) => {
      sockets.push(socket);
      void greetGateway(socket).then(() => socket.once('data', () => asked.push(socket)));
    });
    deaf.listen(world.portOf(0), HOST);
    world.closeLater(() => deaf.close());
    await world.serve(b, 1);
    const sut = await connectTo(0);
    const underWay = sut.report(request(1));
    await eventually(() => expect(asked).toHaveLength(1));
    await moveTo(sut, 1);
    for (const socket of asked) socket.destroy();
    expect(await underWay).toBe('b 1');
    await delay(NOTICED_MS);
    expect(sockets).toHaveLength(1);
  });

  it('uses a removed process until another one is connected', async () => {
    await world.serve(a, 0);
    const sut = await connectTo(0);
    names.standFor(world.portOf(1));
    await eventually(() => expect(sut.addresses).toBe(2));
    expect(await processesOf(sut)).toEqual(new Set(['a']));
    await world.serve(b, 1);
    await eventually(async () => expect(await processesOf(sut)).toEqual(new Set(['b'])));
    await eventually(() => expect(world.counters.connections).toBe(1));
    expect([sut.openConnections, sut.addresses]).toEqual([1, 1]);
  });

  it('keeps the connection of a removed process that returns before another one is connected', async () => {
    await world.serve(a, 0);
    const sut = await connectTo(0);
    names.standFor(world.portOf(1));
    await eventually(() => expect(sut.addresses).toBe(2));
    names.standFor(world.portOf(0));
    await eventually(() => expect(sut.addresses).toBe(1));
    expect(sut.isConnected).toBe(true);
    expect(await processesOf(sut)).toEqual(new Set(['a']));
  });

  it('cancels a pending connection when its process is removed', async () => {
    const sockets: Socket[] = [];
    const silent = createFakeServer((socket) => sockets.push(socket.resume()));
    silent.listen(world.portOf(1), HOST);
    world.closeLater(() => silent.close());
    await world.serve(a, 0);
    const sut = await connectTo(0);
    names.standFor(world.portOf(0), world.portOf(1));
    await eventually(() => expect(sockets).toHaveLength(1));
    names.standFor(world.portOf(0));
    await eventually(() => expect(sockets[0]?.closed).toBe(true));
    await delay(NOTICED_MS);
    expect(sockets).toHaveLength(1);
    expect(sut.addresses).toBe(1);
  });

  it('sends a change to invisible to all current processes', async () => {
    await world.serve(a, 0);
    await world.serve(b, 1);
    const sut = await connectTo(0);
    names.standFor(world.portOf(0), world.portOf(1));
    await eventually(() => expect(sut.openConnections).toBe(2));
    await sut.changeVisibility(hiding(3, 1000));
    const published = { ...hiding(3, 1000), sentAt: expect.any(Number) };
    const copy = { ...published, isCopy: true };
    const received = [...a.received, ...b.received];
    expect(received).toHaveLength(2);
    expect(received).toEqual(expect.arrayContaining([published, copy]));
    expect([a.received, b.received].map((each) => each.length)).toEqual([1, 1]);
  });
});
