import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { readInTurns } from './read-in-turns.js';

const KILOBYTES = 1024;

/** The bytes that a stream with these chunks gives in each turn of the event loop. */
async function bytesOfTurns(chunks: readonly number[]): Promise<number[]> {
  const stream = new PassThrough({ highWaterMark: 10_000 * KILOBYTES });
  for (const size of chunks) stream.write(Buffer.alloc(size));
  stream.end();
  let bytes = 0;
  stream.on('data', ({ length }: Buffer) => (bytes += length));
  readInTurns(stream);
  const ofTurns: number[] = [];
  let isOver = false;
  const count = () => {
    if (bytes > 0) ofTurns.push(bytes);
    bytes = 0;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await once(stream, 'end');
  isOver = true;
  await new Promise((resolve) => setImmediate(resolve));
  return ofTurns;
}

describe(readInTurns.name, () => {
  it('reads many bytes in several turns of the event loop', async () => {
    const ofTurns = await bytesOfTurns(Array.from({ length: 30 }, () => 64 * KILOBYTES));
    expect(ofTurns).toEqual(Array.from({ length: 30 }, () => 64 * KILOBYTES));
  });

  it('does not wait after many small reads in several turns', async () => {
    const stream = new PassThrough();
    readInTurns(stream);
    for (let turn = 0; turn < 100; turn += 1) {
      stream.write(Buffer.alloc(KILOBYTES));
      await new Promise((resolve) => setImmediate(resolve));
      expect(stream.isPaused()).toBe(false);
    }
  });

  it('reads a few at once', async () => {
    expect(await bytesOfTurns([1, 2, 3].map((count) => count * KILOBYTES))).toEqual([
      6 * KILOBYTES,
    ]);
  });
});
