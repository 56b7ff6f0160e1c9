import type { Readable } from 'node:stream';
import { nextSlice } from '#platform/core';

/** Rows of so many bytes are parsed in about a millisecond. A read of a socket takes as many. */
const BYTES_OF_TURN = 65_536;

/**
 * Lets the stream of a connection wait for its next slice after some bytes. Else Node reads up to two megabytes of each
 * connection in one turn of the event loop, and pg parses them at once.
 */
export function readInTurns(stream: Readable): void {
  let left = BYTES_OF_TURN;
  stream.on('data', ({ length }: Buffer) => {
    left -= length;
    if (left > 0) return;
    left = BYTES_OF_TURN;
    stream.pause();
    void nextSlice().then(() => stream.resume());
  });
}
