import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect } from '@jest/globals';
import { laySwallowingWire } from '../support/swallowing-wire.js';
import { DEADLINE_MS } from './push-transport.drivers.js';
import { accepted, type Case, late, lost } from './push-transport.world.js';

/** More than the machine needs to get to a timer that is due. */
const SLACK_MS = 500;

/** What happens when a provider, or the way to it, is not there. */
export const outages = {
  'gives up on a provider that does not answer, and sends again when it does': async (world) => {
    const sut = world.open();
    await world.setMode({ mode: 'hang' });
    const startedAt = performance.now();
    expect(await sut.send(world.push())).toEqual(late);
    expect(performance.now() - startedAt).toBeLessThan(DEADLINE_MS + SLACK_MS);
    await world.setMode({ mode: 'ok' });
    expect(await sut.send(world.push())).toEqual(accepted);
  },

  'leaves a connection on which nothing was answered in time': async (world) => {
    const sut = world.open();
    expect(await sut.send(world.push())).toEqual(accepted);
    await world.setMode({ mode: 'blackhole' });
    expect(await sut.send(world.push())).toEqual(late);
    expect(await sut.send(world.push())).toEqual(accepted);
  },

  'replaces a dead connection in under ten seconds, long before the deadline': async (world) => {
    const provider = await world.provider();
    const wire = await laySwallowingWire(provider.port);
    world.closeLater(() => wire.stop());
    const sut = world.open({ port: wire.port, deadlineMs: 30_000 });
    expect(await sut.send(world.push())).toEqual(accepted);
    wire.swallow();
    const startedAt = performance.now();
    const answers = await Promise.all(world.pushes(20).map((push) => sut.send(push)));
    expect(answers).toEqual(answers.map(() => lost));
    expect(await sut.send(world.push())).toEqual(accepted);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  },

  'tells that the connection was lost, and opens another': async (world) => {
    const sut = world.open();
    await world.setMode({ mode: 'reset' });
    const push = world.push();
    expect(await sut.send(push)).toEqual(lost);
    expect(await world.attemptsOn(push.token)).toHaveLength(1);
    await world.setMode({ mode: 'ok' });
    expect(await sut.send(world.push())).toEqual(accepted);
  },

  'settles 200 pushes under way at once when the connections are reset': async (world) => {
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
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(answers).toEqual(answers.map(() => lost));
    expect(await sut.send(world.push())).toEqual(accepted);
  },

  'tells that there is no connection': async (world) => {
    const sut = world.open();
    await world.setMode({ mode: 'down' });
    expect(await sut.send(world.push())).toEqual(lost);
    await world.setMode({ mode: 'ok' });
    expect(await sut.send(world.push())).toEqual(accepted);
  },

  'settles when a server takes connections and never speaks': async (world) => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    world.closeLater(async () => {
      for (const socket of sockets) socket.destroy();
      await once(server.close(), 'close');
    });
    const { port } = server.address() as AddressInfo; // It listens on TCP.
    const sut = world.open({ port });
    const startedAt = performance.now();
    const answers = await Promise.all(world.pushes(5).map((push) => sut.send(push)));
    for (const answer of answers) expect(answer).toMatchObject({ kind: 'unanswered' });
    expect(performance.now() - startedAt).toBeLessThan(DEADLINE_MS + SLACK_MS);
  },

  'settles when an answer never ends': async (world) => {
    const provider = await world.provider({
      handle: (request, { requests }) => {
        if (requests.length > 1) request.accept();
        else request.response.writeHead(400).write('{"reason":');
      },
    });
    const sut = world.open({ port: provider.port });
    const startedAt = performance.now();
    expect(await sut.send(world.push())).toEqual(late);
    expect(performance.now() - startedAt).toBeLessThan(DEADLINE_MS + SLACK_MS);
    expect(await sut.send(world.push())).toEqual(accepted);
  },

  'takes a push for accepted as soon as the provider says so': async (world) => {
    const provider = await world.provider({
      handle: ({ response }) => {
        response.writeHead(200).write('{');
      },
    });
    expect(await world.open({ port: provider.port }).send(world.push())).toEqual(accepted);
  },

  'lets what is under way end when it is closed': async (world) => {
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
