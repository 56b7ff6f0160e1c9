import type { Socket } from 'node:net';
import { encodeFrames, type Frame } from './frame.js';

/** With this much gathered the peer may as well begin: waiting would only leave it idle. */
const ENOUGH_LENGTH = 64 * 1024;

/** Sends the frames of one turn of the event loop in one write: the writes are what a hop costs. */
export class FrameWriter {
  #frames: Frame[] = [];
  #length = 0;

  constructor(private readonly socket: Socket) {}

  push(frame: Frame): void {
    if (this.#frames.length === 0) setImmediate(() => this.flush());
    this.#frames.push(frame);
    this.#length += frame.body.length;
    if (this.#length >= ENOUGH_LENGTH) this.flush();
  }

  flush(): void {
    const frames = this.#frames;
    this.#frames = [];
    this.#length = 0;
    if (frames.length > 0 && this.socket.writable) this.socket.write(encodeFrames(frames));
  }
}
