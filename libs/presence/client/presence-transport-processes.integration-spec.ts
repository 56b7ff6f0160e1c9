import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { PresenceClient } from '#presence/client';
import { eventually } from '#test/eventually';
import { greetGateway } from '#test/presence-greeting';
import { HOST, request, ScriptedService, TransportWorld } from '#test/presence-transport-world';
import { createFakeServer } from '#test/fake-server';

/** So many that each of two processes gets some of them, except once in a million runs. */
const REALMS = Array.from({ length: 20 }, (_, index) => index + 1);

describe('The presence transport, with two processes', () => {
  let world: TransportWorld;

  beforeEach(async () => {
    world = await TransportWorld.create();
  });

  afterEach(() => world.end());

  /** Sends a request for each of many organisations; resolves with the answering processes. */
  async function processOfEach(client: PresenceClient, firstUserId = 1): Promise<unknown[]> {
    const asked = REALMS.map((realmId, index) => request(firstUserId + index, { realmId }));
    const answers = await Promise.all(asked.map((one) => client.report(one)));
    return answers.map((answer) => String(answer).split(' ')[0]);
  }

  /** An organisation that is assigned to the process of this name. */
  async function realmOf(client: PresenceClient, process: string): Promise<number> {
    return REALMS[(await processOfEach(client)).indexOf(process)] ?? 0;
  }

  async function connectToBoth(): Promise<PresenceClient> {
    const client = world.open({ processes: 2 });
    await eventually(() => expect(client.openConnections).toBe(2));
    return client;
  }

  it('spreads organisations over the processes, in the same way at every gateway', async () => {
    await world.serve(new ScriptedService('a'), 0);
    await world.serve(new ScriptedService('b'), 1);
    const sut = await connectToBoth();
    const processes = await processOfEach(sut);
    expect(new Set(processes)).toEqual(new Set(['a', 'b']));
    expect(await processOfEach(sut, 1000)).toEqual(processes);
    expect(await processOfEach(await connectToBoth())).toEqual(processes);
  });

  it('sends all requests of an organisation to one process', async () => {
    await world.serve(new ScriptedService('a'), 0);
    await world.serve(new ScriptedService('b'), 1);
    const sut = await connectToBoth();
    for (const [index, process] of (await processOfEach(sut)).entries()) {
      const viewer = { realmId: REALMS[index] ?? 0, userId: 1, isGuest: false };
      expect(await sut.readRealm(viewer)).toBe(`${String(process)} realm ${viewer.realmId}`);
    }
  });

  it('repeats a call at another process when the connection is lost', async () => {
    const breaking = createFakeServer((socket) => {
      void greetGateway(socket).then(() => socket.once('data', () => socket.destroy()));
    });
    breaking.listen(world.portOf(1), HOST);
    world.closeLater(() => breaking.close());
    await world.serve(new ScriptedService('a'), 0);
    const sut = await connectToBoth();
    expect(new Set(await processOfEach(sut))).toEqual(new Set(['a']));
    expect(sut.counters.retried).toBeGreaterThan(0);
    expect(sut.counters.results).toEqual({ answered: REALMS.length, unanswered: 0, refused: 0 });
  });

  it('completes the calls of a stopping process, uses another one, and returns later', async () => {
    const [first, second] = [new ScriptedService('a'), new ScriptedService('b')];
    const server = await world.serve(first, 0);
    await world.serve(second, 1);
    const sut = await connectToBoth();
    const before = await processOfEach(sut);
    const realmId = await realmOf(sut, 'a');
    first.hold();
    const received = first.received.length;
    const underWay = sut.report(request(2, { realmId }));
    await eventually(() => expect(first.received.length).toBeGreaterThan(received));
    const closed = server.close();
    const elsewhere: unknown[] = [];
    await eventually(() => {
      void sut.report(request(4, { realmId })).then((answer) => elsewhere.push(answer));
      expect(elsewhere).toContain('b 4');
    });
    first.letGo();
    expect(await underWay).toBe('a 2');
    await closed;
    await world.serve(first, 0);
    await eventually(async () => expect(await processOfEach(sut)).toEqual(before));
  });

  it('does not use a process that accepts connections but does not answer', async () => {
    const hung = createServer().listen(world.portOf(0), HOST);
    world.closeLater(() => hung.close());
    await world.serve(new ScriptedService('b'), 1);
    const sut = await world.connect({ processes: 2 });
    expect(new Set(await processOfEach(sut))).toEqual(new Set(['b']));
    expect(sut.openConnections).toBe(1);
  });
});
