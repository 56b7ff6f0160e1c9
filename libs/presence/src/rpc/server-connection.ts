import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import type { PresenceAnswer, PresenceService } from '#contracts';
import type { PresenceCounters } from '../presence-counters.js';
import { type Frame, frameKinds, FrameReader, type ReadFrame } from './frame.js';
import { FrameWriter } from './frame-writer.js';
import {
  presenceRequest,
  presenceViewer,
  userPresenceQuestion,
  visibilityChange,
} from './messages.js';

/** A request is a few hundred bytes; more than this is not one of ours. */
const MOST_REQUEST_BYTES = 64 * 1024;

/** A client with this much under way, or this much unread, is not read from until it has less. */
const MOST_CALLS = 10_000;
const MOST_UNREAD_BYTES = 32 * 1024 * 1024;

/** One gateway's connection, at the presence program's end. */
export class ServerConnection {
  readonly #reader = new FrameReader(MOST_REQUEST_BYTES);
  readonly #writer: FrameWriter;
  readonly #logger = new Logger(ServerConnection.name);
  #calls = 0;

  constructor(
    private readonly socket: Socket,
    private readonly service: PresenceService,
    private readonly counters: PresenceCounters,
  ) {
    this.#writer = new FrameWriter(socket);
    socket.setNoDelay(true).setKeepAlive(true);
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    // The close that follows is all that matters; the client reports what it lost.
    socket.on('error', () => undefined);
    socket.on('drain', () => this.#readOn());
  }

  /** Tells the client to go elsewhere; it closes the connection when all its calls are answered. */
  sayGoodbye(): void {
    this.#writer.push({ kind: frameKinds.goingAway, call: 0, body: '' });
  }

  #receive(chunk: Buffer): void {
    try {
      for (const frame of this.#reader.read(chunk)) this.#take(frame);
    } catch (error) {
      this.counters.malformedFrames += 1;
      this.#logger.warn(`A connection was closed: ${String(error)}`);
      this.socket.destroy();
    }
    if (this.#isOverloaded()) this.socket.pause();
  }

  /** A greeting asks for nothing but a sign of life, and is no call. */
  #take(frame: ReadFrame): void {
    if (frame.kind !== frameKinds.hello) void this.#answer(frame);
    else this.#writer.push({ kind: frameKinds.answer, call: frame.call, body: '' });
  }

  async #answer({ kind, call, body }: ReadFrame): Promise<void> {
    this.#calls += 1;
    this.counters.callsUnderWay += 1;
    const beganAtMs = performance.now();
    try {
      const answer = await this.#carryOut(kind, body.toString());
      this.#writer.push({ ...frameOf(answer), call });
    } catch (error) {
      this.counters.failedCalls += 1;
      this.#logger.error(`A request failed: ${String(error)}`);
      this.#writer.push({ kind: frameKinds.failure, call, body: String(error) });
    }
    this.#calls -= 1;
    this.counters.callsUnderWay -= 1;
    this.counters.callSeconds.observe((performance.now() - beganAtMs) / 1000);
    this.#readOn();
  }

  async #carryOut(kind: number, body: string): Promise<PresenceAnswer> {
    switch (kind) {
      case frameKinds.report:
        return this.service.report(presenceRequest.parse(JSON.parse(body)));
      case frameKinds.visibility:
        await this.service.changeVisibility(visibilityChange.parse(JSON.parse(body)));
        return '';
      case frameKinds.readRealm:
        return this.service.readRealm(presenceViewer.parse(JSON.parse(body)));
      case frameKinds.readUser: {
        const question = userPresenceQuestion.parse(JSON.parse(body));
        return JSON.stringify(await this.service.readUser(question));
      }
      default:
        throw new Error(`Requests of kind ${kind} are not known`);
    }
  }

  #readOn(): void {
    if (this.socket.isPaused() && !this.#isOverloaded()) this.socket.resume();
  }

  #isOverloaded(): boolean {
    return this.#calls >= MOST_CALLS || this.socket.writableLength >= MOST_UNREAD_BYTES;
  }
}

const frameOf = (answer: PresenceAnswer): Pick<Frame, 'kind' | 'body'> =>
  typeof answer === 'string'
    ? { kind: frameKinds.answer, body: answer }
    : { kind: compressedKinds[answer.encoding], body: answer.body };

const compressedKinds = { gzip: frameKinds.gzipAnswer, br: frameKinds.brotliAnswer } as const;
