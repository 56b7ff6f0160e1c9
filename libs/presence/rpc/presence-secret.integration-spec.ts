import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { eventually } from '#test/eventually';
import { greetGateway, presenceFrame, presenceProof } from '#test/presence-greeting';
import { parseAnswer } from '#test/presence-realm';
import {
  CURSOR,
  HOST,
  request,
  ScriptedService,
  TransportWorld,
} from '#test/presence-transport-world';
import { connectionEnd, createFakeServer } from '#test/fake-server';

const HELLO = 10;
const CHALLENGE = 11;
const PROOF = 12;
const REPORT = 1;
const HEAD_BYTES = 10;
const NONCE_BYTES = 32;
const LARGEST_BEFORE_PROOF = 256;
const MAX_UNTRUSTED = 100;

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

  /** A peer that sends the bytes of a test. */
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

  it('answers a gateway with the same secret', async () => {
    await world.serve(service, 0, secret);
    const sut = await world.connect({ secret });
    expect(await sut.report(request(1))).toBe('a 1');
    expect(errors).toEqual([]);
  });

  it.each(others)('is unavailable for a gateway with %s, which logs it once', async (_, wrong) => {
    await world.serve(service, 0, secret);
    const sut = world.open({ secret: wrong, deadlineMs: 300 });
    const answer = parseAnswer(await sut.report(request(1)));
    expect(answer).toMatchObject({ presence_last_update_id: CURSOR, presences: {} });
    expect(sut.isConnected).toBe(false);
    await eventually(() => expect(sut.counters.refusedConnections).toBeGreaterThan(1));
    expect(errors).toEqual([
      expect.stringMatching(
        /^The connection to .* is closed: .*another PRESENCE_SECRET than this gateway$/,
      ),
    ]);
    expect(service.received).toEqual([]);
  });

  it.each(others)('receives no request if the process has %s', async (_, wrong) => {
    await world.serve(service, 0, wrong);
    const sut = world.open({ secret, deadlineMs: 300 });
    await sut.report(request(1));
    expect(sut.bufferedUsers).toBe(1);
    expect(service.received).toEqual([]);
  });

  it('sends no report to an impostor, for any answer to the hello', async () => {
    const received: Buffer[] = [];
    const impostor = createFakeServer((socket) => {
      socket.on('data', (chunk: Buffer) => received.push(chunk));
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
  ])('closes a connection that starts with %s', async (_, bytes) => {
    await world.serve(service, 0, secret);
    const socket = await stranger();
    socket.resume().write(bytes());
    await connectionEnd(socket);
    expect(service.received).toEqual([]);
    const { refusedConnections, malformedFrames } = world.counters;
    expect(refusedConnections + malformedFrames).toBe(1);
  });

  it('rejects a proof from another connection', async () => {
    await world.serve(service, 0, secret);
    const nonce = randomBytes(NONCE_BYTES);
    const first = await stranger();
    const [earlier] = await challengeTo(first, nonce);
    const proof = presenceProof('gateway', secret, { gateway: nonce, presence: earlier });
    const second = await stranger();
    await challengeTo(second, nonce);
    second.resume().write(Buffer.concat([presenceFrame(PROOF, proof), report()]));
    await connectionEnd(second);
    expect(service.received).toEqual([]);
    // On its own connection, the proof is valid.
    first.write(Buffer.concat([presenceFrame(PROOF, proof), report()]));
    await eventually(() => expect(service.received).toHaveLength(1));
  });

  it('rejects the reflected proof of the process', async () => {
    await world.serve(service, 0, secret);
    const socket = await stranger();
    const [, proof] = await challengeTo(socket, randomBytes(NONCE_BYTES));
    socket.resume().write(presenceFrame(PROOF, proof));
    await connectionEnd(socket);
    expect(world.counters.refusedConnections).toBe(1);
  });

  it('closes connections with an incomplete handshake, and logs one line for all of them', async () => {
    await world.serve(service, 0, secret);
    const sockets = await Promise.all([stranger(), stranger()]);
    await Promise.all(sockets.map((socket) => once(socket.resume(), 'close')));
    expect(world.counters.refusedConnections).toBe(2);
    expect(errors).toHaveLength(1);
  });

  it('keeps room for gateways, for any number of unverified peers', async () => {
    await world.serve(service, 0, secret);
    const first = await stranger();
    const closed = once(first.resume(), 'close');
    for (let count = 0; count < MAX_UNTRUSTED; count += 1) await stranger();
    await closed;
    const sut = await world.connect({ secret });
    expect(await sut.report(request(1))).toBe('a 1');
  });
});
