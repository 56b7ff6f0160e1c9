import type { Readable } from 'node:stream';
import { nextSlice } from '#platform/core';

/** Rows of so many bytes are parsed in about a millisecond. A read of a socket takes as many. */
const BYTES_OF_TURN = 65_536;

/**
 * Lets the stream of a connection wait for its next slice after so many bytes in one turn of the event loop. Else Node reads up
 * to two megabytes of each connection in a turn, and pg parses them at once. The rows of ordinary statements do not wait.
 */
export function readInTurns(stream: Readable): void {
  let left = BYTES_OF_TURN;
  stream.on('data', ({ length }: Buffer) => {
    if (left === BYTES_OF_TURN) setImmediate(() => (left = BYTES_OF_TURN));
    left -= length;
    if (left > 0 || stream.isPaused()) return;
    stream.pause();
    void nextSlice().then(() => stream.resume());
  });
}
