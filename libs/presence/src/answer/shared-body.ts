import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type BodyEncoding, type PresenceAnswer, successEnvelope } from '#contracts';
import type { Mirror } from '../mirror/mirror.js';
import type { ComposedAnswer } from './compose-answer.js';
import type { MadeBody } from './sharing.rules.js';

/** Measured at 10,000 entries: 5.8 bytes each in 5 ms. The levels around it give 6.2 in 3 ms and 5.5 in 11 ms. */
const GZIP_LEVEL = 4;

/** Measured likewise: 5.5 bytes in 3.5 ms. The qualities around it give 6.0 in 2 ms and 5.3 in 11 ms. */
const BROTLI_QUALITY = 2;

/** Fragments repeat themselves from one to the next: more memory to look back in finds hardly more. */
const BROTLI_WINDOW_BITS = 18;

/** Compressed bytes come back in pieces of this size: most bodies in one. */
const CHUNK_BYTES = 128 * 1024;

const compressGzip = promisify<string, { level: number; chunkSize: number }, Buffer>(gzip);
const compressBrotli = promisify<
  string,
  { params: Record<number, number>; chunkSize: number },
  Buffer
>(brotliCompress);

/** An answer that several viewers get; it is compressed once for each encoding, in the thread pool. */
export class SharedBody implements MadeBody {
  readonly position: number;
  readonly revision: number;
  readonly #compressed = new Map<BodyEncoding, Promise<PresenceAnswer>>();

  constructor(
    readonly answer: ComposedAnswer,
    /** What it was made from; what another mirror of the realm says does not continue it. */
    readonly mirror: Mirror,
    readonly aboveId: number,
    readonly madeAtMs: number,
  ) {
    this.position = mirror.position;
    this.revision = mirror.revision;
  }

  /** Never rejects: what cannot be compressed stays text. */
  encoded(encoding: BodyEncoding | null): PresenceAnswer | Promise<PresenceAnswer> {
    const { text } = this.answer;
    if (encoding === null) return text;
    const known = this.#compressed.get(encoding);
    if (known) return known;
    const compressed = compress(successEnvelope(text), encoding).then(
      (body): PresenceAnswer => ({ encoding, body }),
      () => text,
    );
    this.#compressed.set(encoding, compressed);
    return compressed;
  }
}

const compress = (text: string, encoding: BodyEncoding): Promise<Buffer> =>
  encoding === 'gzip'
    ? compressGzip(text, { level: GZIP_LEVEL, chunkSize: CHUNK_BYTES })
    : compressBrotli(text, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
          [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW_BITS,
        },
        chunkSize: CHUNK_BYTES,
      });
