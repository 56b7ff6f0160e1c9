import type { Socket } from 'node:net';
import { encodeFrames, type Frame } from './frame.js';

/** Sends the frames of one turn of the event loop in one write: the writes are what a hop costs. */
export class FrameWriter {
  #frames: Frame[] = [];

  constructor(private readonly socket: Socket) {}

  push(frame: Frame): void {
    if (this.#frames.length === 0) setImmediate(() => this.flush());
    this.#frames.push(frame);
  }

  flush(): void {
    const frames = this.#frames;
    this.#frames = [];
    if (frames.length > 0 && this.socket.writable) this.socket.write(encodeFrames(frames));
  }
}
