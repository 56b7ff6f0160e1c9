import { constants } from 'node:http2';
import { expect } from '@jest/globals';
import pLimit from 'p-limit';
import { eventually } from '#test/eventually';
import type { ProviderRequest } from '#test/fake-provider';
import { accepted, type Case } from './push-transport.world.js';

/** Cases of connections and their streams. */
export const streams = {
  'loses and repeats none of 200 pushes in flight at an orderly close': async (world) => {
    const sut = world.open({ deadlineMs: 10_000 });
    expect(await sut.send(world.push())).toEqual(accepted);
    await world.setMode({ mode: 'slow', delay_ms: 1500 });
    const sending = Promise.all(world.pushes(200).map((push) => sut.send(push)));
    await eventually(async () => {
      expect(await world.sandbox.control.deliveries()).toHaveLength(201);
    });
    await world.setMode({ mode: 'goaway' });
    const answers = await sending;
    expect(answers).toEqual(answers.map(() => accepted));
    expect(await world.sandbox.control.deliveries()).toHaveLength(201);
  },

  'repeats unprocessed pushes once': async (world) => {
    const held: ProviderRequest[] = [];
    const provider = await world.provider({
      handle: (request, { requests }) => {
        const isOnFirst = request.connection === requests[0]?.connection;
        if (requests.length === 1 || !isOnFirst) {
          request.accept();
          return;
        }
        held.push(request);
        if (held.length !== 20) return;
        // The provider answers ten of the twenty pushes, and declares the others unprocessed with GOAWAY.
        request.connection.session?.goaway(0, request.connection.streamIds[10]);
        for (const processed of held.slice(0, 10)) processed.accept();
      },
    });
    const sut = world.open({ port: provider.port, deadlineMs: 2000 });
    expect(await sut.send(world.push())).toEqual(accepted);
    const pushes = world.pushes(20);
    const answers = await Promise.all(pushes.map((push) => sut.send(push)));
    expect(answers).toEqual(answers.map(() => accepted));
    const tokens = pushes.map(({ token }) => token);
    expect(provider.accepted.slice(1).toSorted()).toEqual(tokens.toSorted());
  },

  'repeats a push with a refused stream once': async (world) => {
    const provider = await world.provider({
      handle: (request, { requests }) => {
        if (requests.length !== 2) request.accept();
        else request.response.stream.close(constants.NGHTTP2_REFUSED_STREAM);
      },
    });
    const sut = world.open({ port: provider.port, deadlineMs: 2000 });
    const pushes = world.pushes(3);
    for (const push of pushes) expect(await sut.send(push)).toEqual(accepted);
    expect(provider.accepted).toEqual(pushes.map(({ token }) => token));
  },

  "never exceeds the provider's limit of streams": async (world) => {
    const provider = await world.provider({
      streams: 7,
      handle: (request) => {
        setTimeout(() => request.accept(), 5);
      },
    });
    const sut = world.open({ port: provider.port, deadlineMs: 10_000 });
    const answers = await Promise.all(world.pushes(300).map((push) => sut.send(push)));
    expect(answers).toEqual(answers.map(() => accepted));
    expect(provider.accepted).toHaveLength(300);
    expect(Math.max(...provider.connections.map(({ mostAtOnce }) => mostAtOnce))).toBe(7);
  },

  'follows a lower limit of streams': async (world) => {
    const provider = await world.provider({
      streams: 50,
      handle: (request) => {
        setTimeout(() => request.accept(), 5);
      },
    });
    const sut = world.open({ port: provider.port, deadlineMs: 10_000 });
    const send = async (count: number) => {
      const answers = await Promise.all(world.pushes(count).map((push) => sut.send(push)));
      expect(answers).toEqual(answers.map(() => accepted));
    };
    await send(100);
    const known = provider.connections;
    await Promise.all(known.map((connection) => connection.allow(2)));
    await send(100);
    // The driver may have opened other connections, which allow more streams.
    for (const { mostAtOnce } of known) expect(mostAtOnce).toBeLessThanOrEqual(2);
  },

  'sends 20,000 pushes through few connections': async (world) => {
    const provider = await world.provider({ streams: 1000 });
    const sut = world.open({ port: provider.port, deadlineMs: 10_000 });
    const answers = new Set<string>();
    await pLimit(500).map(Array.from({ length: 20_000 }), async () => {
      answers.add(JSON.stringify(await sut.send(world.push())));
    });
    expect([...answers]).toEqual([JSON.stringify(accepted)]);
    expect(new Set(provider.accepted).size).toBe(20_000);
    expect(provider.connections.length).toBeLessThan(20);
  },
} satisfies Record<string, Case>;
