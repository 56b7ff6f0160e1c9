import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '#test/eventually';
import type { ServerIdentity } from '../../apps/push-sandbox/src/credentials/certificate-authority.js';
import { cases, type Row } from './web-push.cases.js';
import { answering, makeIdentity, ways, WebPushWorld } from './web-push.world.js';

let identity: ServerIdentity;

beforeAll(async () => {
  identity = await makeIdentity();
});

describe.each(ways)('WebPushTransport to $name', (way) => {
  let world: WebPushWorld;

  beforeEach(() => {
    world = new WebPushWorld(way, identity);
  });
  afterEach(() => world.end());

  // `cases` is an object literal, so its type lists exactly its keys.
  it.each(Object.keys(cases) as Row[])('%s', async (row) => {
    await expect(cases[row](world)).resolves.toBeUndefined();
  });
});

describe.each(ways.filter(({ isKnown }) => !isKnown))('The limits of $name', (way) => {
  let world: WebPushWorld;

  beforeEach(() => {
    world = new WebPushWorld(way, identity);
  });
  afterEach(() => world.end());

  it('has five requests under way, five that wait, and refuses the others at once', async () => {
    const service = await world.serve(() => undefined);
    const other = 'other.example.org';
    const hosts = [way.host, other];
    const endpoints = { hosts, ports: [service.port], privateHosts: hosts };
    const sut = world.open({ endpoints });
    const sending = Array.from({ length: 11 }, () => sut.send(world.push(service.port)));
    expect(await sending.at(-1)).toEqual({ kind: 'unanswered', reason: 'busy' });
    await eventually(() => expect(service.received).toHaveLength(5));
    // Its certificate is for another name; what matters is that it has an answer at once.
    const elsewhere = world.push(service.port);
    const token = elsewhere.token.replace(way.host, other);
    expect(await sut.send({ ...elsewhere, token })).toMatchObject({ reason: 'connection' });
    service.handle = answering(201);
    for (const { response } of service.received.slice()) response.writeHead(201).end();
    const answers = await Promise.all(sending.slice(0, -1));
    expect(answers).toEqual(answers.map(() => ({ kind: 'accepted' })));
    expect(service.received).toHaveLength(10);
  });
});
