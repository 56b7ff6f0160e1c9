import { expect } from '@jest/globals';
import { eventually } from '#test/eventually';
import { LoggingProxy } from '#test/logging-proxy';
import { accepted, type Case, page, SHORT_MS, type WebPushWorld } from './web-push.world.js';

/** Cases of where a push may go, and of the proxy on the way. */
export const addresses = {
  'sends through a proxy, which resolves the name': async (world) => {
    const service = await world.serve();
    const proxy = await LoggingProxy.start();
    world.closeLater(() => proxy.stop());
    const resolve = () => Promise.reject(new Error('not asked'));
    const sut = world.open({ proxy: proxy.client(), resolve }, [service.port]);
    expect(await sut.send(world.push(service.port))).toEqual(accepted);
    const authorities = new Set(proxy.requests.map(({ authority }) => authority));
    expect([...authorities]).toEqual([`${world.way.host}:${service.port}`]);
    expect(proxy.ports).toEqual(service.clientPorts);
  },

  'takes no answer of a proxy for one of the service': async (world) => {
    const service = await world.serve();
    const proxy = await LoggingProxy.start();
    world.closeLater(() => proxy.stop());
    for (const status of [301, 400, 403, 404, 410, 429, 500, 503]) {
      proxy.answer = { kind: 'refusal', status, body: page };
      const sut = world.open({ proxy: proxy.client() }, [service.port]);
      expect(await sut.send(world.push(service.port))).toEqual({
        kind: 'unanswered',
        reason: 'proxy',
      });
    }
    proxy.answer = { kind: 'refusal', status: 407, body: page };
    const sut = world.open({ proxy: proxy.client() }, [service.port]);
    const refused = { kind: 'misconfigured', reason: 'proxy' };
    expect(await sut.send(world.push(service.port))).toEqual(refused);
    proxy.answer = { kind: 'page', text: `HTTP/1.1 410 Gone\r\n\r\n${page}` };
    const paged = world.open({ proxy: proxy.client() }, [service.port]);
    expect(await paged.send(world.push(service.port))).toMatchObject({ kind: 'unanswered' });
    expect(service.received).toEqual([]);
  },

  'gives up a silent proxy by the deadline, and leaves no connection': async (world) => {
    const proxy = await LoggingProxy.start();
    world.closeLater(() => proxy.stop());
    proxy.answer = { kind: 'silence' };
    const sut = world.open({ proxy: proxy.client(), deadlineMs: SHORT_MS }, [443]);
    const startedAt = performance.now();
    expect(await sut.send(world.push(443))).toMatchObject({ kind: 'unanswered' });
    expect(performance.now() - startedAt).toBeLessThan(SHORT_MS + 5000);
    await sut.close();
    await eventually(() => expect(proxy.openSockets).toBe(0));
  },

  'sends nothing to a host or a port that is not permitted any more': async (world) => {
    const service = await world.serve();
    const notAllowed = { kind: 'unsendable', reason: 'EndpointNotAllowed' };
    const push = world.push(service.port);
    expect(await world.open({}, []).send(push)).toEqual(notAllowed);
    const endpoints = world.endpoints({ ports: [service.port], hosts: ['fcm.googleapis.com'] });
    expect(await world.open({ endpoints }).send(push)).toEqual(notAllowed);
    const given = { token: push.token.replace('https:', 'http:') };
    const sut = world.open({}, [service.port]);
    expect(await sut.send(world.push(service.port, given))).toEqual(notAllowed);
    expect(service.sockets).toEqual([]);
  },

  'sends nothing to a name of which any address is not public': async (world) => {
    const service = await world.serve();
    const endpoints = world.endpoints({ ports: [service.port], privateHosts: [] });
    const privateOnes = ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '64:ff9b::7f00:1'];
    for (const address of privateOnes) {
      const found = [
        { address: '8.8.8.8', family: 4 },
        { address, family: 4 },
      ];
      const sut = world.open({ endpoints, resolve: async () => found });
      const answer = await sut.send(world.push(service.port));
      expect(answer).toEqual(
        world.way.isKnown
          ? { kind: 'unanswered', reason: 'connection' }
          : { kind: 'unsendable', reason: 'EndpointNotAllowed' },
      );
    }
    expect(service.sockets).toEqual([]);
  },

  'tells a name that does not exist from a resolver that fails': async (world) => {
    const failing = (code: string) =>
      world.open(
        { resolve: () => Promise.reject(Object.assign(new Error(code), { code })) },
        [443],
      );
    const answer = { kind: 'unanswered' };
    expect(await failing('ENOTFOUND').send(world.push(443))).toEqual({ ...answer, reason: 'name' });
    expect(await failing('ESERVFAIL').send(world.push(443))).toEqual({
      ...answer,
      reason: 'connection',
    });
    const silent = world.open({ resolve: () => new Promise(() => {}), deadlineMs: 100 }, [443]);
    expect(await silent.send(world.push(443))).toEqual({ ...answer, reason: 'deadline' });
  },

  'asks a name once for many pushes': async (world) => {
    const service = await world.serve();
    let asked = 0;
    const resolve = async () => {
      asked += 1;
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const sut = world.open({ resolve }, [service.port]);
    await Promise.all(Array.from({ length: 10 }, () => sut.send(world.push(service.port))));
    expect(asked).toBe(1);
  },

  'sends nothing without a contact or a key': async (world) => {
    const service = await world.serve();
    const ports = [service.port];
    const answer = (changes: Parameters<WebPushWorld['open']>[0], keyId = 1) =>
      world.open(changes, ports).send(world.push(service.port, {}, keyId));
    expect(await answer({ contact: null })).toMatchObject({ kind: 'misconfigured' });
    expect(await answer({}, 9)).toEqual({ kind: 'unsendable', reason: 'UnknownVapidKey' });
    const unreadable = () => Promise.reject(new Error('sealed with another secret'));
    expect(await answer({ keyOf: unreadable })).toEqual({
      kind: 'misconfigured',
      reason: 'the VAPID key cannot be read',
    });
    const hanging = { keyOf: () => new Promise<never>(() => {}), deadlineMs: 100 };
    expect(await answer(hanging)).toEqual({ kind: 'unanswered', reason: 'deadline' });
    const without = world.open({}, ports);
    const { web: _, ...push } = world.push(service.port);
    expect(await without.send(push)).toEqual({ kind: 'unsendable', reason: 'NoSubscription' });
    expect(service.received).toEqual([]);
  },
} satisfies Record<string, Case>;
