import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { eventually } from '#test/eventually';
import { greetGateway } from '#test/presence-greeting';
import { parseAnswer } from '#test/presence-realm';
import {
  CURSOR,
  hiding,
  HOST,
  request,
  ScriptedService,
  TransportWorld,
} from '#test/presence-transport-world';
import { createFakeServer } from '#test/fake-server';

describe('The presence transport, while no process answers', () => {
  let world: TransportWorld;

  beforeEach(async () => {
    world = await TransportWorld.create();
  });

  afterEach(async () => {
    await world.end();
    Logger.overrideLogger(true);
  });

  it('does not move the cursor while no process can be reached, and sends the reports later', async () => {
    // A report that is not answered within it is sent again, and this test counts each.
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
    expect(sut.bufferedUsers).toBe(2);
    const service = new ScriptedService('a');
    await world.serve(service);
    await eventually(() => {
      expect(service.received).toEqual(
        expect.arrayContaining([
          { ...idle, pingOnly: true, sentAt: expect.any(Number) },
          { ...later, sentAt: expect.any(Number) },
          { ...hiding(3, 1000), sentAt: expect.any(Number) },
        ]),
      );
    });
    expect(service.received).toHaveLength(3);
    expect(sut.bufferedUsers).toBe(0);
  });

  it('answers without a process that takes too long, and sends the report again', async () => {
    const service = new ScriptedService('a');
    await world.serve(service);
    const sut = await world.connect({ deadlineMs: 500 });
    service.hold();
    expect(parseAnswer(await sut.report(request(1)))).toMatchObject({
      presence_last_update_id: CURSOR,
    });
    expect(sut.bufferedUsers).toBe(1);
    service.letGo();
    await eventually(() => expect(service.received).toHaveLength(2));
    expect(service.received[1]).toMatchObject(request(1, { pingOnly: true }));
  });

  it('sends buffered requests before it closes', async () => {
    const service = new ScriptedService('a');
    await world.serve(service);
    const sut = await world.connect({ deadlineMs: 500 });
    service.hold();
    await sut.report(request(1));
    expect(sut.bufferedUsers).toBe(1);
    service.letGo();
    await sut.close();
    expect(service.received).toHaveLength(2);
    expect(sut.bufferedUsers).toBe(0);
  });

  it('closes a connection that no longer delivers data', async () => {
    let connections = 0;
    const deaf = createFakeServer((socket) => {
      connections += 1;
      // The process answers only the handshake.
      void greetGateway(socket);
    });
    deaf.listen(world.portOf(0), HOST);
    world.closeLater(() => deaf.close());
    const sut = await world.connect({ deadlineMs: 50 });
    await sut.report(request(1));
    await eventually(() => expect(connections).toBeGreaterThan(1));
  });

  it('keeps a connection on which a call expires that was sent again', async () => {
    let connections = 0;
    const slow = createFakeServer((socket) => {
      connections += 1;
      // The processes answer only the handshake, and the first one stops soon.
      void greetGateway(socket);
      if (connections === 1) setTimeout(() => socket.destroy(), 600);
    });
    slow.listen(world.portOf(0), HOST);
    world.closeLater(() => slow.close());
    const sut = await world.connect({ deadlineMs: 1000 });
    await sut.report(request(1));
    expect(connections).toBe(2);
    // On a closed connection this report would be sent again on a third one.
    await sut.report(request(1));
    expect(connections).toBe(2);
  });

  it('rejects an unanswered read in time', async () => {
    const sut = world.open({ deadlineMs: 50 });
    const viewer = { realmId: 3, userId: 1, isGuest: false };
    await expect(sut.readRealm(viewer)).rejects.toThrow('No presence process can be reached');
    await expect(sut.readUser({ ...viewer, askedUserId: 9 })).rejects.toThrow(
      'No presence process can be reached',
    );
  });

  it('logs the loss and the return of a process once each', async () => {
    const logged: string[] = [];
    const record = (level: string) => (text: unknown) =>
      void logged.push(`${level} ${String(text)}`);
    Logger.overrideLogger({ log: record('log'), warn: record('warn'), error: record('error') });
    const name = `${HOST}:${world.portOf(0)}`;
    const ofProcess = () => logged.filter((text) => text.includes(`presence process ${name}`));
    const gone = await world.serve(new ScriptedService('a'));
    const sut = await world.connect({ deadlineMs: 50 });
    await gone.close();
    await eventually(() => expect(sut.isConnected).toBe(false));
    // Several connections fail in the meantime.
    const viewer = { realmId: 3, userId: 1, isGuest: false };
    await expect(sut.readRealm(viewer)).rejects.toThrow('No presence process can be reached');
    await world.serve(new ScriptedService('a'));
    await eventually(() => expect(sut.isConnected).toBe(true));
    expect(ofProcess()).toEqual([
      `log Connected to the presence process ${name}`,
      expect.stringMatching(`^warn The connection to the presence process ${name} was lost`),
      `log Connected to the presence process ${name}`,
    ]);
  });

  it('logs once that a process cannot be reached from the start', async () => {
    const warned: string[] = [];
    const silent = () => undefined;
    Logger.overrideLogger({
      log: silent,
      warn: (text: unknown) => void warned.push(String(text)),
      error: silent,
    });
    world.open();
    const name = `${HOST}:${world.portOf(0)}`;
    await eventually(() => {
      expect(warned).toEqual([
        `The presence process ${name} cannot be reached: connect ECONNREFUSED ${name}`,
      ]);
    });
  });
});
