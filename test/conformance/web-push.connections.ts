import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect } from '@jest/globals';
import { eventually } from '#test/eventually';
import { accepted, answering, type Case, SHORT_MS, type WebPushWorld } from './web-push.world.js';

/** More than the connections to a service that speaks no HTTP/2; to a host that a user has chosen, as many as may wait. */
const burstOf = ({ way }: WebPushWorld): number => (way.isKnown ? 60 : 10);

/** Cases of connections and deadlines. */
export const connections = {
  'gives up at the deadline, and sends again': async (world) => {
    const service = await world.serve(() => undefined);
    const sut = world.open({ deadlineMs: SHORT_MS }, [service.port]);
    const startedAt = performance.now();
    expect(await sut.send(world.push(service.port))).toMatchObject({
      kind: 'unanswered',
      reason: 'deadline',
      wasSent: true,
    });
    expect(performance.now() - startedAt).toBeLessThan(SHORT_MS + 5000);
    service.handle = answering(201);
    expect(await sut.send(world.push(service.port))).toEqual(accepted);
  },

  'gives up a server that accepts connections and never answers': async (world) => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    world.closeLater(async () => {
      for (const socket of sockets) socket.destroy();
      await once(server.close(), 'close');
    });
    const { port } = server.address() as AddressInfo; // A server on TCP has an address of this shape.
    const sut = world.open({ deadlineMs: SHORT_MS }, [port]);
    const answers = await Promise.all([sut.send(world.push(port)), sut.send(world.push(port))]);
    for (const answer of answers) {
      expect(answer).toMatchObject({ kind: 'unanswered' });
      expect(answer).not.toHaveProperty('wasSent');
    }
  },

  'tells a request that was sent from one that was not': async (world) => {
    const service = await world.serve(({ request }) => request.socket.destroy());
    const sut = world.open({}, [service.port]);
    expect(await sut.send(world.push(service.port))).toEqual({
      kind: 'unanswered',
      reason: 'connection',
      wasSent: true,
    });
    expect(await world.open({}, [9]).send(world.push(9))).toEqual({
      kind: 'unanswered',
      reason: 'connection',
    });
    service.handle = answering(201);
    expect(await sut.send(world.push(service.port))).toEqual(accepted);
  },

  'trusts no other authority': async (world) => {
    const service = await world.serve();
    const sut = world.open({ certificateAuthority: undefined }, [service.port]);
    expect(await sut.send(world.push(service.port))).toMatchObject({ kind: 'unanswered' });
    expect(service.received).toEqual([]);
  },

  'does not send a push that was withdrawn': async (world) => {
    const service = await world.serve();
    const sut = world.open({}, [service.port]);
    const push = world.push(service.port, { isWithdrawn: () => true });
    expect(await sut.send(push)).toEqual({ kind: 'withdrawn' });
    expect(await sut.send(world.push(service.port))).toEqual(accepted);
    expect(await sut.send(push)).toEqual({ kind: 'withdrawn' });
    expect(service.received).toHaveLength(1);
  },

  'knows whether a refused key works for other subscriptions': async (world) => {
    const service = await world.serve(answering(403, {}, 'VAPID public key mismatch'));
    const sut = world.open({}, [service.port]);
    const send = (keyId: number) => sut.send(world.push(service.port, {}, keyId));
    expect(await send(1)).toMatchObject({ status: 403, reason: 'VapidRefused' });
    service.handle = answering(201);
    expect(await send(1)).toEqual(accepted);
    service.handle = answering(403, {}, 'VAPID public key mismatch');
    expect(await send(1)).toMatchObject({ reason: 'VapidKeyMismatch' });
    expect(await send(2)).toMatchObject({ reason: 'VapidRefused' });
  },

  'keeps its connections': async (world) => {
    const service = await world.serve();
    const sut = world.open({}, [service.port]);
    for (let count = 0; count < 10; count += 1) {
      expect(await sut.send(world.push(service.port))).toEqual(accepted);
    }
    // A service that speaks no HTTP/2 was asked for it first.
    expect(service.sockets.length).toBeLessThanOrEqual(2);
  },

  'shows each push of a burst once': async (world) => {
    const service = await world.serve();
    const sut = world.open({}, [service.port]);
    const count = burstOf(world);
    const pushes = Array.from({ length: count }, () => world.push(service.port));
    const answers = await Promise.all(pushes.map((push) => sut.send(push)));
    expect(answers).toEqual(answers.map(() => accepted));
    const topics = service.received.map(({ headers }) => headers['topic']);
    expect(new Set(topics).size).toBe(count);
    expect(topics).toHaveLength(count);
  },

  'sends a burst whose answers end late': async (world) => {
    const service = await world.serve(({ response }) => {
      response.writeHead(201, { 'content-length': 2 });
      response.write('o');
      setTimeout(() => response.end('k'), 20);
    });
    const sut = world.open({}, [service.port]);
    const pushes = Array.from({ length: burstOf(world) }, () => world.push(service.port));
    const answers = await Promise.all(pushes.map((push) => sut.send(push)));
    expect(answers).toEqual(answers.map(() => accepted));
  },

  'sends on while answers never end': async (world) => {
    const service = await world.serve(({ response }) => {
      response.writeHead(201, { 'content-length': 10 });
      response.write('o');
    });
    const sut = world.open({}, [service.port]);
    const pushes = Array.from({ length: burstOf(world) }, () => world.push(service.port));
    const answers = await Promise.all(pushes.map((push) => sut.send(push)));
    expect(answers).toEqual(answers.map(() => accepted));
  },

  'completes the pushes in flight when it is closed': async (world) => {
    const service = await world.serve(({ response }) => {
      setTimeout(() => response.writeHead(201).end(), 200);
    });
    const sut = world.open({}, [service.port]);
    const sending = [1, 2, 3].map(() => sut.send(world.push(service.port)));
    await sut.close();
    const answers = await Promise.all(sending);
    expect(answers).toEqual(answers.map(() => accepted));
    await eventually(() => {
      expect(service.sockets.filter((socket) => !socket.destroyed)).toEqual([]);
    });
  },
} satisfies Record<string, Case>;
