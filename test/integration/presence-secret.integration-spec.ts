import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { eventually } from '../support/eventually.js';
import { greetGateway, presenceFrame, presenceProof } from '../support/presence-greeting.js';
import { parseAnswer } from '../support/presence-realm.js';
import {
  CURSOR,
  HOST,
  request,
  ScriptedService,
  TransportWorld,
} from './presence-transport.world.js';

const HELLO = 10;
const CHALLENGE = 11;
const PROOF = 12;
const REPORT = 1;
const HEAD_BYTES = 10;
const NONCE_BYTES = 32;
const LARGEST_BEFORE_PROOF = 256;
const MOST_UNTRUSTED = 100;

const secret = randomBytes(32);
const others: readonly (readonly [string, Buffer | null])[] = [
  ['no secret', null],
  ['another secret', randomBytes(32)],
];

describe('The presence transport, with a secret', () => {
  let world: TransportWorld;
  let service: ScriptedService;
  let errors: string[];

  beforeEach(async () => {
    world = await TransportWorld.create();
    service = new ScriptedService('a');
    errors = [];
    const silent = () => undefined;
    Logger.overrideLogger({
      log: silent,
      warn: silent,
      error: (text: unknown) => void errors.push(String(text)),
    });
  });

  afterEach(async () => {
    Logger.overrideLogger(true);
    await world.end();
  });

  /** A peer that sends what a test has it send. */
  async function stranger(): Promise<Socket> {
    const socket = connect({ host: HOST, port: world.portOf(0) });
    socket.on('error', () => undefined);
    world.closeLater(() => socket.destroy());
    await once(socket, 'connect');
    return socket;
  }

  const hello = (nonce: Buffer): Buffer => presenceFrame(HELLO, nonce);

  const report = (): Buffer => presenceFrame(REPORT, Buffer.from(JSON.stringify(request(1))));

  /** The nonce and the proof of a challenge. */
  async function challengeTo(socket: Socket, nonce: Buffer): Promise<[Buffer, Buffer]> {
    socket.write(hello(nonce));
    const [frame] = (await once(socket, 'data')) as [Buffer];
    expect(frame[5]).toBe(CHALLENGE);
    const body = frame.subarray(HEAD_BYTES);
    return [body.subarray(0, NONCE_BYTES), body.subarray(NONCE_BYTES)];
  }

  it('answers a gateway that has it', async () => {
    await world.serve(service, 0, secret);
    const sut = await world.connect({ secret });
    expect(await sut.report(request(1))).toBe('a 1');
    expect(errors).toEqual([]);
  });

  it.each(others)('is away for a gateway that has %s, which says so once', async (_, wrong) => {
    await world.serve(service, 0, secret);
    const sut = world.open({ secret: wrong, deadlineMs: 300 });
    const answer = parseAnswer(await sut.report(request(1)));
    expect(answer).toMatchObject({ presence_last_update_id: CURSOR, presences: {} });
    expect(sut.isConnected).toBe(false);
    await eventually(() => expect(sut.counters.refusedConnections).toBeGreaterThan(1));
    expect(errors).toEqual([
      expect.stringMatching(/is not asked: .*another PRESENCE_SECRET than this gateway$/),
    ]);
    expect(service.told).toEqual([]);
  });

  it.each(others)('is told nothing when the process has %s', async (_, wrong) => {
    await world.serve(service, 0, wrong);
    const sut = world.open({ secret, deadlineMs: 300 });
    await sut.report(request(1));
    expect(sut.heldUsers).toBe(1);
    expect(service.told).toEqual([]);
  });

  it('sends no report to an impostor, however it answers the hello', async () => {
    const received: Buffer[] = [];
    const impostor = createServer((socket) => {
      socket.on('error', () => undefined).on('data', (chunk: Buffer) => received.push(chunk));
      void greetGateway(socket, Buffer.from('guessed')).catch(() => undefined);
    }).listen(world.portOf(0), HOST);
    world.closeLater(() => impostor.close());
    const sut = world.open({ secret, deadlineMs: 300 });
    await sut.report(request(1));
    expect(received.length).toBeGreaterThan(0);
    for (const chunk of received) expect(chunk[5]).toBe(HELLO);
  });

  it.each([
    ['a request', () => report()],
    ['a proof before the hello', () => presenceFrame(PROOF, randomBytes(32))],
    ['a short nonce', () => hello(randomBytes(31))],
    ['a hello and a request', () => Buffer.concat([hello(randomBytes(32)), report()])],
    ['two hellos', () => Buffer.concat([hello(randomBytes(32)), hello(randomBytes(32))])],
    ['a large frame', () => hello(randomBytes(LARGEST_BEFORE_PROOF))],
  ])('closes a connection that begins with %s', async (_, bytes) => {
    await world.serve(service, 0, secret);
    const socket = await stranger();
    socket.resume().write(bytes());
    await once(socket, 'close');
    expect(service.told).toEqual([]);
    const { refusedConnections, malformedFrames } = world.counters;
    expect(refusedConnections + malformedFrames).toBe(1);
  });

  it('refuses a proof that was given on another connection', async () => {
    await world.serve(service, 0, secret);
    const nonce = randomBytes(NONCE_BYTES);
    const first = await stranger();
    const [earlier] = await challengeTo(first, nonce);
    const proof = presenceProof('gateway', secret, { gateway: nonce, presence: earlier });
    const second = await stranger();
    await challengeTo(second, nonce);
    second.resume().write(Buffer.concat([presenceFrame(PROOF, proof), report()]));
    await once(second, 'close');
    expect(service.told).toEqual([]);
    // On its own connection it is good.
    first.write(Buffer.concat([presenceFrame(PROOF, proof), report()]));
    await eventually(() => expect(service.told).toHaveLength(1));
  });

  it('refuses the own proof of the process, sent back', async () => {
    await world.serve(service, 0, secret);
    const socket = await stranger();
    const [, proof] = await challengeTo(socket, randomBytes(NONCE_BYTES));
    socket.resume().write(presenceFrame(PROOF, proof));
    await once(socket, 'close');
    expect(world.counters.refusedConnections).toBe(1);
  });

  it('closes a connection that does not go on, and logs one line for all of them', async () => {
    await world.serve(service, 0, secret);
    const sockets = await Promise.all([stranger(), stranger()]);
    await Promise.all(sockets.map((socket) => once(socket.resume(), 'close')));
    expect(world.counters.refusedConnections).toBe(2);
    expect(errors).toHaveLength(1);
  });

  it('keeps room for gateways, however many peers prove nothing', async () => {
    await world.serve(service, 0, secret);
    const first = await stranger();
    const closed = once(first.resume(), 'close');
    for (let count = 0; count < MOST_UNTRUSTED; count += 1) await stranger();
    await closed;
    const sut = await world.connect({ secret });
    expect(await sut.report(request(1))).toBe('a 1');
  });
});
