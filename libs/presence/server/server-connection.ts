import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { MEBIBYTE } from '#platform/contracts';
import { Deadline, errorText, isOutage, ToleratedFailures } from '#platform/core';
import { isTracing, withSpan } from '#platform/telemetry';
import type { PresenceCounters } from '#presence/metrics';
import {
  type Frame,
  frameKindNames,
  frameKinds,
  FrameReader,
  FrameWriter,
  HANDSHAKE_TIMEOUT_MS,
  MalformedFrame,
  MAX_HANDSHAKE_BYTES,
  onlineQuery,
  type PresenceAnswer,
  PresenceHandshake,
  presenceRequest,
  type PresenceService,
  presenceViewer,
  type FrameReading,
  REALM_NOT_LOADED,
  tracedRequest,
  userPresenceQuery,
  visibilityChange,
} from '#presence/rpc';

/** The size limit of a request; a normal one has a few hundred bytes. */
const MAX_REQUEST_BYTES = 64 * 1024;

/** Backpressure: above either limit, the client's socket is paused. */
const MAX_CALLS = 10_000;
const MAX_UNREAD_BYTES = 32 * MEBIBYTE;

/** The parts that the connections of one presence process share. */
export interface ServerConnectionParts {
  readonly service: PresenceService;
  readonly counters: PresenceCounters;
  /** See connectionKey. */
  readonly key: Buffer;
  /** Called for a peer that does not complete the handshake. */
  readonly onRefused: (reason: string) => void;
}

const failures = new ToleratedFailures('ServerConnection');

/** A store is down, or presence has started and loads the realm: gateways answer without presence meanwhile. */
const isExpected = (error: unknown): boolean =>
  isOutage(error) || errorText(error) === REALM_NOT_LOADED;

/** The presence process's side of a gateway's connection. Requests are answered only after the handshake. */
export class ServerConnection {
  readonly #reader = new FrameReader(MAX_HANDSHAKE_BYTES);
  readonly #handshake: PresenceHandshake;
  readonly #handshakeDeadline: Deadline;
  readonly #writer: FrameWriter;
  readonly #logger = new Logger(ServerConnection.name);
  #calls = 0;

  constructor(
    private readonly socket: Socket,
    private readonly parts: ServerConnectionParts,
  ) {
    this.#handshake = new PresenceHandshake(parts.key);
    this.#handshakeDeadline = new Deadline(HANDSHAKE_TIMEOUT_MS, () =>
      this.refuse('A peer did not complete the handshake in time'),
    );
    this.#writer = new FrameWriter(socket);
    socket.setNoDelay(true).setKeepAlive(true);
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    // A close event follows. The client reports the lost calls.
    socket.on('error', () => undefined);
    socket.on('drain', () => this.#resumeReading());
    socket.once('close', () => this.#handshakeDeadline.stop());
  }

  /** Whether the gateway has proved that it knows the secret. */
  get isTrusted(): boolean {
    return this.#handshake.isDone;
  }

  /** Closes the connection of a peer that has not completed the handshake. */
  refuse(reason: string): void {
    this.parts.counters.refusedConnections += 1;
    this.parts.onRefused(reason);
    this.socket.destroy();
  }

  /** Asks the client to use another process. The client closes the connection after its last answer. */
  sendGoingAway(): void {
    if (!this.isTrusted) {
      this.socket.destroy();
      return;
    }
    this.#writer.push({ kind: frameKinds.goingAway, call: 0, body: '' });
  }

  /** Notifies the gateway that users of a realm came online. Gateways of an older release ignore it. */
  notifyOnline(realmId: number): void {
    if (!this.isTrusted || this.#isOverloaded()) return;
    this.#writer.push({ kind: frameKinds.online, call: 0, body: String(realmId) });
  }

  #receive(chunk: Buffer): void {
    if (this.socket.destroyed) return;
    try {
      for (const frame of this.#reader.read(chunk)) this.#take(frame);
    } catch (error) {
      this.#closeOnError(error);
    }
    if (this.#isOverloaded()) this.socket.pause();
  }

  #take(frame: FrameReading): void {
    if (this.isTrusted) {
      void this.#answer(frame);
      return;
    }
    this.#writer.push(this.#handshake.take(frame));
    if (!this.isTrusted) return;
    this.#handshakeDeadline.stop();
    this.#reader.allow(MAX_REQUEST_BYTES);
  }

  #closeOnError(error: unknown): void {
    if (error instanceof MalformedFrame) {
      this.parts.counters.malformedFrames += 1;
      this.#logger.warn(`A connection was closed: ${error.message}`);
      this.socket.destroy();
    } else this.refuse(errorText(error));
  }

  async #answer({ kind, call, body }: FrameReading): Promise<void> {
    this.#calls += 1;
    this.parts.counters.callsInFlight += 1;
    const beganAtMs = performance.now();
    try {
      const answer = await this.#execute(kind, body.toString());
      this.#writer.push(frameOf(call, answer));
    } catch (error) {
      if (!isExpected(error)) {
        this.parts.counters.failedCalls += 1;
        failures.record(error);
      }
      this.#writer.push({ kind: frameKinds.failure, call, body: String(error) });
    }
    this.#calls -= 1;
    this.parts.counters.callsInFlight -= 1;
    this.parts.counters.callSeconds.observe((performance.now() - beganAtMs) / 1000);
    this.#resumeReading();
  }

  /** Continues the trace of the gateway, if the request has one. */
  async #execute(kind: number, body: string): Promise<PresenceAnswer> {
    const given: unknown = JSON.parse(body);
    if (!isTracing()) return this.#serve(kind, given);
    const { traceParent: parent } = tracedRequest.parse(given);
    if (parent === undefined) return this.#serve(kind, given);
    const name = `presence ${frameKindNames.get(kind)}`;
    return withSpan(name, { parent, kind: 'server' }, () => this.#serve(kind, given));
  }

  async #serve(kind: number, given: unknown): Promise<PresenceAnswer> {
    const { service } = this.parts;
    switch (kind) {
      case frameKinds.report:
        return service.report(presenceRequest.parse(given));
      case frameKinds.visibility:
        await service.changeVisibility(visibilityChange.parse(given));
        return '';
      case frameKinds.readRealm:
        return service.readRealm(presenceViewer.parse(given));
      case frameKinds.readUser:
        return JSON.stringify(await service.readUser(userPresenceQuery.parse(given)));
      case frameKinds.readOnline:
        return JSON.stringify(await service.readOnline(onlineQuery.parse(given)));
      default:
        throw new Error(`Requests of kind ${kind} are not known`);
    }
  }

  #resumeReading(): void {
    if (this.socket.isPaused() && !this.#isOverloaded()) this.socket.resume();
  }

  #isOverloaded(): boolean {
    return this.#calls >= MAX_CALLS || this.socket.writableLength >= MAX_UNREAD_BYTES;
  }
}

const frameOf = (call: number, answer: PresenceAnswer): Frame =>
  typeof answer === 'string'
    ? { kind: frameKinds.answer, call, body: answer }
    : { kind: compressedKinds[answer.encoding], call, body: answer.body };

const compressedKinds = { gzip: frameKinds.gzipAnswer, br: frameKinds.brotliAnswer } as const;
