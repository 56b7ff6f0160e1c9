import { expect } from '@jest/globals';
import { decodeJwt } from 'jose';
import { accepted, answering, type Case, page, SHORT_MS } from './web-push.world.js';

/** Cases of requests and answers, the same by every way. */
export const requests = {
  'sends one record that a library opens, with all headers': async (world) => {
    const service = await world.serve();
    const push = world.push(service.port, { expiresAt: Date.now() + 60_000 });
    expect(await world.open({}, [service.port]).send(push)).toEqual(accepted);
    const [received] = service.received;
    const { headers, body = Buffer.of() } = received ?? {};
    expect(headers).toMatchObject({
      ttl: expect.stringMatching(/^(?:59|60)$/),
      urgency: 'high',
      topic: expect.stringMatching(/^[\w-]{32}$/),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      authorization: expect.stringMatching(/^vapid t=[\w.-]+, k=[\w-]{87}$/),
    });
    expect(`${received?.request.method} ${received?.request.url}`).toMatch(
      /^POST \/wpush\/[0-9a-f]{16}\?a=b$/,
    );
    expect(world.client.open(body)).toBe('{"type":"test","maxBytes":2641}');
    expect(body.readUInt32BE(16)).toBe(4096);
    const [, token = ''] = /t=([\w.-]+)/.exec(String(headers?.['authorization'])) ?? [];
    expect(decodeJwt(token)).toMatchObject({
      aud: `https://${world.way.host}:${service.port}`,
      sub: 'mailto:ops@example.org',
    });
  },

  'has a time to live of a second for a push that ends now': async (world) => {
    const service = await world.serve();
    const push = world.push(service.port, { expiresAt: Date.now() - 1000 });
    expect(await world.open({}, [service.port]).send(push)).toEqual(accepted);
    expect(service.received[0]?.headers['ttl']).toBe('1');
  },

  'sends a text of 2,641 bytes in 2,744, and none that is longer': async (world) => {
    const service = await world.serve();
    const sut = world.open({ textOf: (_, most) => 'x'.repeat(most) }, [service.port]);
    expect(await sut.send(world.push(service.port))).toEqual(accepted);
    expect(service.received[0]?.body).toHaveLength(2744);
    const long = world.open({ textOf: (_, most) => 'x'.repeat(most + 1) }, [service.port]);
    expect(await long.send(world.push(service.port))).toEqual({
      kind: 'unsendable',
      reason: 'PayloadTooLarge',
    });
    expect(service.received).toHaveLength(1);
  },

  'takes every success for accepted, whatever the body says': async (world) => {
    const service = await world.serve();
    const sut = world.open({}, [service.port]);
    for (const status of [200, 201, 202, 204]) {
      service.handle = answering(
        status,
        { 'content-type': 'text/html' },
        status === 204 ? '' : page,
      );
      expect(await sut.send(world.push(service.port))).toEqual(accepted);
    }
  },

  'follows no redirect': async (world) => {
    const elsewhere = await world.serve();
    const service = await world.serve();
    const sut = world.open({}, [service.port, elsewhere.port]);
    for (const status of [301, 302, 303, 307, 308]) {
      const location = `https://${world.way.host}:${elsewhere.port}/stolen`;
      service.handle = answering(status, { location });
      const answer = await sut.send(world.push(service.port));
      expect(answer).toMatchObject({ kind: 'refused', status });
    }
    expect(elsewhere.received).toEqual([]);
  },

  'returns refusals with Retry-After, and repeats nothing': async (world) => {
    const service = await world.serve();
    const sut = world.open({}, [service.port]);
    const statuses = [400, 404, 405, 410, 429, 500, 502, 503, 507];
    for (const status of statuses) {
      service.handle = answering(status, { 'retry-after': '7' }, page);
      const answer = await sut.send(world.push(service.port));
      expect(answer).toMatchObject({ kind: 'refused', status, retryAfterMs: 7000 });
    }
    expect(service.received).toHaveLength(statuses.length);
  },

  'sends a push that is too large once more, with a smaller body': async (world) => {
    const service = await world.serve(({ response, body }) => {
      response.writeHead(body.length > 2000 ? 413 : 201);
      response.end();
    });
    const sut = world.open({ textOf: (_, most) => 'x'.repeat(most) }, [service.port]);
    expect(await sut.send(world.push(service.port))).toEqual(accepted);
    expect(service.received.map(({ body }) => body.length)).toEqual([2744, 1383]);
    service.handle = answering(413);
    expect(await sut.send(world.push(service.port))).toMatchObject({ status: 413 });
    expect(service.received).toHaveLength(4);
  },

  'reads little of an answer without an end': async (world) => {
    let written = 0;
    const service = await world.serve(({ response }) => {
      response.writeHead(404, { 'content-type': 'text/html' });
      const more = () => {
        while (!response.destroyed && !response.writableEnded && written < 50_000_000) {
          written += 65_536;
          if (!response.write(Buffer.alloc(65_536, 'x'))) break;
        }
      };
      response.on('drain', more);
      more();
    });
    const sut = world.open({ deadlineMs: SHORT_MS }, [service.port]);
    const answer = await sut.send(world.push(service.port));
    expect(['refused', 'unanswered']).toContain(answer.kind);
    await sut.close();
    expect(written).toBeLessThan(50_000_000);
  },
} satisfies Record<string, Case>;
