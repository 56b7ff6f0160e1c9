import { once } from 'node:events';
import { type AddressInfo, type Socket } from 'node:net';
import { expect } from '@jest/globals';
import { startBlackHoleProxy } from '#test/black-hole-proxy';
import { createFakeServer } from '#test/fake-server';
import { accepted, type Case, late, lost } from './push-transport.world.js';

/** Short enough to wait for, and long enough for a TLS handshake on a busy machine. */
const DEADLINE_MS = 1000;
const short = { deadlineMs: DEADLINE_MS };

/** How late an answer is that comes after the deadline. */
const LATE_MS = 500;
/** A push that has the deadline ends before, on a busy machine too; the other deadlines are longer. */
const GIVES_UP_MS = 9000;

/** Cases with an unreachable provider. */
export const outages = {
  'gives up at the deadline, and sends again when the provider has recovered': async (world) => {
    const sut = world.open(short);
    await world.setMode({ mode: 'hang' });
    const startedAt = performance.now();
    expect(await sut.send(world.push())).toMatchObject(late);
    expect(performance.now() - startedAt).toBeLessThan(GIVES_UP_MS);
    await world.setMode({ mode: 'ok' });
    expect(await sut.send(world.push())).toEqual(accepted);
  },

  'replaces a connection without any answer in time': async (world) => {
    const sut = world.open(short);
    expect(await sut.send(world.push())).toEqual(accepted);
    await world.setMode({ mode: 'blackhole' });
    expect(await sut.send(world.push())).toMatchObject(late);
    expect(await sut.send(world.push())).toEqual(accepted);
  },

  'replaces a dead connection in under ten seconds, long before the deadline': async (world) => {
    const provider = await world.provider();
    const proxy = await startBlackHoleProxy(provider.port);
    world.closeLater(() => proxy.stop());
    const sut = world.open({ port: proxy.port, deadlineMs: 30_000 });
    expect(await sut.send(world.push())).toEqual(accepted);
    proxy.dropPackets();
    const startedAt = performance.now();
    const answers = await Promise.all(world.pushes(20).map((push) => sut.send(push)));
    expect(answers).toMatchObject(answers.map(() => lost));
    expect(await sut.send(world.push())).toEqual(accepted);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  },

  'tells a request that was sent from one that was not': async (world) => {
    const sut = world.open();
    await world.setMode({ mode: 'reset' });
    expect(await sut.send(world.push())).toEqual({ ...lost, wasSent: true });
    await world.setMode({ mode: 'down' });
    expect(await sut.send(world.push())).toEqual(lost);
  },

  'has the answer that comes after the deadline': async (world) => {
    const { platform } = world.driver;
    const sut = world.open(short);
    expect(await sut.send(world.push())).toEqual(accepted);
    const push = world.push();
    const orders = { platform, status: 200, delay_ms: DEADLINE_MS + LATE_MS };
    await world.sandbox.control.answer(push.token, orders);
    const answer = await sut.send(push);
    expect(answer).toMatchObject({ ...late, wasSent: true });
    expect(answer.kind === 'unanswered' && (await answer.late)).toEqual(accepted);
    await world.setMode({ mode: 'hang' });
    const unanswered = await sut.send(world.push());
    const last = { ...late, wasSent: true };
    expect(unanswered.kind === 'unanswered' && (await unanswered.late)).toEqual(last);
  },

  'reports a lost connection, and opens another': async (world) => {
    const sut = world.open();
    await world.setMode({ mode: 'reset' });
    const push = world.push();
    expect(await sut.send(push)).toMatchObject(lost);
    expect(await world.attemptsOn(push.token)).toHaveLength(1);
    await world.setMode({ mode: 'ok' });
    expect(await sut.send(world.push())).toEqual(accepted);
  },

  'settles 200 pushes in flight at once when the connections are reset': async (world) => {
    const provider = await world.provider({
      streams: 1000,
      handle: (request, { connections, requests }) => {
        if (requests.length === 1 || requests.length > 201) request.accept();
        if (requests.length !== 201) return;
        for (const { socket } of connections) socket.destroy();
      },
    });
    const sut = world.open({ port: provider.port, deadlineMs: 10_000 });
    expect(await sut.send(world.push())).toEqual(accepted);
    const startedAt = performance.now();
    const answers = await Promise.all(world.pushes(200).map((push) => sut.send(push)));
    expect(performance.now() - startedAt).toBeLessThan(GIVES_UP_MS);
    expect(answers).toMatchObject(answers.map(() => lost));
    expect(await sut.send(world.push())).toEqual(accepted);
  },

  'reports a refused connection': async (world) => {
    const sut = world.open();
    await world.setMode({ mode: 'down' });
    expect(await sut.send(world.push())).toEqual(lost);
    await world.setMode({ mode: 'ok' });
    expect(await sut.send(world.push())).toEqual(accepted);
  },

  'settles when a server accepts connections and never answers': async (world) => {
    const sockets: Socket[] = [];
    const server = createFakeServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    world.closeLater(async () => {
      for (const socket of sockets) socket.destroy();
      await once(server.close(), 'close');
    });
    const { port } = server.address() as AddressInfo; // A server on TCP has an address of this shape.
    const sut = world.open({ port, ...short });
    const startedAt = performance.now();
    const answers = await Promise.all(world.pushes(5).map((push) => sut.send(push)));
    for (const answer of answers) expect(answer).toMatchObject({ kind: 'unanswered' });
    expect(performance.now() - startedAt).toBeLessThan(GIVES_UP_MS);
  },

  'settles when an answer never ends': async (world) => {
    const provider = await world.provider({
      handle: (request, { requests }) => {
        if (requests.length > 1) request.accept();
        else request.response.writeHead(400).write('{"reason":');
      },
    });
    const sut = world.open({ port: provider.port, ...short });
    const startedAt = performance.now();
    expect(await sut.send(world.push())).toMatchObject(late);
    expect(performance.now() - startedAt).toBeLessThan(GIVES_UP_MS);
    expect(await sut.send(world.push())).toEqual(accepted);
  },

  'settles as accepted as soon as the status has arrived': async (world) => {
    const provider = await world.provider({
      handle: ({ response }) => {
        response.writeHead(200).write('{');
      },
    });
    const sut = world.open({ port: provider.port, ...short });
    expect(await sut.send(world.push())).toEqual(accepted);
  },

  'completes the pushes in flight when it is closed': async (world) => {
    const sut = world.open({ deadlineMs: 5000 });
    expect(await sut.send(world.push())).toEqual(accepted);
    await world.setMode({ mode: 'slow', delay_ms: 200 });
    const sending = world.pushes(20).map((push) => sut.send(push));
    const closing = sut.close();
    const answers = await Promise.all(sending);
    expect(answers).toEqual(answers.map(() => accepted));
    await closing;
  },
} satisfies Record<string, Case>;
