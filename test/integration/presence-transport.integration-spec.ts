import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type {
  PresenceRequest,
  PresenceService,
  PresenceViewer,
  UserPresenceQuestion,
  UserReading,
  VisibilityChange,
} from '#contracts';
import { PresenceClient, PresenceServer } from '#presence';
import { eventually } from '../support/eventually.js';
import { freePorts } from '../support/free-ports.js';
import { presenceGreeting } from '../support/presence-greeting.js';
import { parseAnswer } from '../support/presence-realm.js';

const HOST = '127.0.0.1';

const request = (userId: number, different: Partial<PresenceRequest> = {}): PresenceRequest => ({
  realmId: 1,
  userId,
  joinedAt: 1,
  status: 'active',
  reportedAt: 1000,
  isVisible: true,
  isGuest: false,
  isRealmPresenceDisabled: false,
  pingOnly: false,
  hasNewInput: false,
  lastUpdateId: 5,
  historyLimitDays: null,
  format: 'modern',
  encoding: null,
  ...different,
});

const change = (userId: number, changedAt: number): VisibilityChange => {
  return { realmId: 1, userId, joinedAt: 1, isVisible: false, changedAt };
};

/** A presence service that answers with its name, and not before it is let. */
class ScriptedService implements PresenceService {
  readonly told: (PresenceRequest | VisibilityChange)[] = [];
  #isHolding = false;
  readonly #waiting: (() => void)[] = [];

  constructor(private readonly name: string) {}

  async report(asked: PresenceRequest): Promise<string> {
    this.told.push(asked);
    if (this.#isHolding) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return `${this.name} ${asked.userId}`;
  }

  async changeVisibility(asked: VisibilityChange): Promise<void> {
    this.told.push(asked);
  }

  async readRealm(asked: PresenceViewer): Promise<string> {
    return `${this.name} realm ${asked.realmId}`;
  }

  async readUser(asked: UserPresenceQuestion): Promise<UserReading> {
    return { activeAt: 0, idleAt: asked.askedUserId };
  }

  hold(): void {
    this.#isHolding = true;
  }

  letGo(): void {
    this.#isHolding = false;
    for (const resume of this.#waiting.splice(0).toReversed()) resume();
  }
}

const untilConnected = (client: PresenceClient): Promise<void> =>
  eventually(() => {
    if (!client.isConnected) throw new Error('Not connected');
  });

describe('The presence transport', () => {
  let ports: number[];
  let undo: (() => unknown)[] = [];

  beforeEach(async () => {
    ports = await freePorts(2);
  });

  afterEach(async () => {
    for (const step of undo.toReversed()) await step();
    undo = [];
  });

  async function serve(service: PresenceService, index = 0): Promise<PresenceServer> {
    const server = new PresenceServer(service);
    await server.listen({ host: HOST, port: ports[index] ?? 0 });
    undo.push(() => server.close());
    return server;
  }

  /** A client of the first `count` ports, connected to those that are served. */
  async function open(count = 1, deadlineMs = 5000, isServed = true): Promise<PresenceClient> {
    const addresses = ports.slice(0, count).map((port) => ({ host: HOST, port }));
    const client = new PresenceClient({ addresses, deadlineMs });
    undo.push(() => client.close());
    if (isServed) await untilConnected(client);
    return client;
  }

  it('gives each caller the answer to what it asked, in whatever order they come', async () => {
    const service = new ScriptedService('a');
    await serve(service);
    const sut = await open();
    service.hold();
    const userIds = Array.from({ length: 200 }, (_, index) => index + 1);
    const answers = Promise.all(userIds.map((userId) => sut.report(request(userId))));
    await eventually(() => expect(service.told).toHaveLength(200));
    service.letGo();
    expect(await answers).toEqual(userIds.map((userId) => `a ${userId}`));
  });

  it('carries an answer of many megabytes', async () => {
    const text = 'ä'.repeat(4_000_000);
    const service = new ScriptedService('a');
    service.report = async () => text;
    await serve(service);
    const sut = await open();
    expect((await sut.report(request(1))) === text).toBe(true);
  });

  it('spreads users over the processes and keeps each with one', async () => {
    await serve(new ScriptedService('a'), 0);
    await serve(new ScriptedService('b'), 1);
    const sut = await open(2);
    await eventually(async () => {
      const answers = await Promise.all([1, 2, 1, 2].map((userId) => sut.report(request(userId))));
      expect(answers).toEqual(['b 1', 'a 2', 'b 1', 'a 2']);
    });
  });

  it('asks another process when the connection is lost', async () => {
    const sockets: Socket[] = [];
    const deaf = createServer((socket) => sockets.push(socket)).listen(ports[1], HOST);
    undo.push(() => deaf.close());
    await once(deaf, 'listening');
    await serve(new ScriptedService('a'), 0);
    const sut = await open(2);
    await eventually(() => expect(sockets).toHaveLength(1));
    const answer = sut.report(request(1));
    await once(sockets[0] ?? deaf, 'data');
    for (const socket of sockets) socket.destroy();
    expect(await answer).toBe('a 1');
  });

  it('answers what is under way when a process stops, and goes elsewhere then', async () => {
    const [first, second] = [new ScriptedService('a'), new ScriptedService('b')];
    const server = await serve(first, 0);
    await serve(second, 1);
    const sut = await open(2);
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

  it('moves no cursor while no process can be reached, and tells one when it is back', async () => {
    const sut = await open(1, 50, false);
    expect(parseAnswer(await sut.report(request(1)))).toEqual({
      presence_last_update_id: 5,
      server_timestamp: expect.any(Number),
      presences: {},
    });
    const later = request(1, { reportedAt: 1100, lastUpdateId: null, pingOnly: true });
    expect(parseAnswer(await sut.report(later))).toEqual({ presence_last_update_id: -1 });
    const idle = request(1, { status: 'idle', reportedAt: 1050 });
    await sut.report(idle);
    await sut.report(request(2, { isVisible: false }));
    await sut.changeVisibility(change(3, 1000));
    expect(sut.heldUsers).toBe(2);
    const service = new ScriptedService('a');
    await serve(service);
    await eventually(() => {
      expect(service.told).toEqual(
        expect.arrayContaining([{ ...idle, pingOnly: true }, later, change(3, 1000)]),
      );
    });
    expect(service.told).toHaveLength(3);
    expect(sut.heldUsers).toBe(0);
  });

  it('answers without the process when it takes too long, and tells it again', async () => {
    const service = new ScriptedService('a');
    await serve(service);
    const sut = await open(1, 100);
    service.hold();
    expect(parseAnswer(await sut.report(request(1)))).toMatchObject({ presence_last_update_id: 5 });
    expect(sut.heldUsers).toBe(1);
    service.letGo();
    await eventually(() => expect(service.told).toHaveLength(2));
    expect(service.told[1]).toEqual(request(1, { pingOnly: true }));
  });

  it('tells what it holds before it closes', async () => {
    const service = new ScriptedService('a');
    await serve(service);
    const sut = await open(1, 100);
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
      // It answers the greeting, and nothing after.
      socket.write(presenceGreeting);
    });
    deaf.listen(ports[0], HOST);
    undo.push(() => deaf.close());
    const sut = await open(1, 50);
    await sut.report(request(1));
    await eventually(() => expect(connections).toBeGreaterThan(1));
  });

  it('asks nobody who takes connections and says nothing', async () => {
    const hung = createServer().listen(ports[0], HOST);
    undo.push(() => hung.close());
    await serve(new ScriptedService('b'), 1);
    const sut = await open(2);
    // Its place is that of the one that hangs.
    expect(await sut.report(request(2))).toBe('b 2');
    expect(sut.openConnections).toBe(1);
  });

  it('does not hold what the process refuses', async () => {
    await serve(new ScriptedService('a'));
    const sut = await open();
    const refused = await sut.report(request(1, { realmId: -1 }));
    expect(parseAnswer(refused)).toMatchObject({ presence_last_update_id: 5, presences: {} });
    await sut.changeVisibility({ ...change(1, 5), changedAt: -1 });
    expect(sut.heldUsers).toBe(0);
    expect(await sut.report(request(1))).toBe('a 1');
  });

  it('carries readings', async () => {
    await serve(new ScriptedService('a'));
    const sut = await open();
    const viewer = { realmId: 3, userId: 1, isGuest: false };
    expect(await sut.readRealm(viewer)).toBe('a realm 3');
    expect(await sut.readUser({ ...viewer, askedUserId: 9 })).toEqual({ activeAt: 0, idleAt: 9 });
  });

  it('rejects a reading that nobody answers, in time', async () => {
    const sut = await open(1, 50, false);
    const viewer = { realmId: 3, userId: 1, isGuest: false };
    await expect(sut.readRealm(viewer)).rejects.toThrow('No presence process can be reached');
    await expect(sut.readUser({ ...viewer, askedUserId: 9 })).rejects.toThrow(
      'No presence process can be reached',
    );
  });

  it('rejects a reading that the process refuses, as one of an older release does, and goes on', async () => {
    const service = new ScriptedService('a');
    service.readRealm = () => Promise.reject(new Error('Requests of kind 8 are not known'));
    await serve(service);
    const sut = await open();
    await expect(sut.readRealm({ realmId: 3, userId: 1, isGuest: false })).rejects.toThrow(
      'kind 8',
    );
    expect(await sut.report(request(1))).toBe('a 1');
  });

  it('takes the reports of gateways of an older release', async () => {
    const service = new ScriptedService('a');
    await serve(service);
    const sut = await open();
    const { hasNewInput: _, encoding: __, ...older } = request(1);
    // What such a gateway sends.
    expect(await sut.report(older as PresenceRequest)).toBe('a 1');
    expect(service.told).toEqual([request(1)]);
  });

  it.each([
    ['an oversized frame', Buffer.from([0xff, 0, 0, 0])],
    ['another version', Buffer.from([0, 0, 0, 6, 99, 1, 0, 0, 0, 1])],
    ['another protocol', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ])('closes a connection that speaks %s, and no other', async (_what, bytes) => {
    await serve(new ScriptedService('a'));
    const sut = await open();
    const stranger = connect({ host: HOST, port: ports[0] ?? 0 });
    stranger.on('error', () => undefined).write(bytes);
    await once(stranger, 'close');
    expect(await sut.report(request(1))).toBe('a 1');
  });

  it('listens on a free port when told so', async () => {
    const server = new PresenceServer(new ScriptedService('a'));
    const port = await server.listen({ host: HOST, port: 0 });
    const probe = connect({ host: HOST, port });
    await once(probe, 'connect');
    expect((probe.address() as AddressInfo).address).toBe(HOST);
    probe.destroy();
    await server.close();
  });
});
