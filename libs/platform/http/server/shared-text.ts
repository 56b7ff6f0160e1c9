import { Readable } from 'node:stream';
import { constants, crc32, createDeflateRaw } from 'node:zlib';
import { successEnvelopeOf } from '#platform/contracts';
import { TimeSlice } from '#platform/core';
import { CompressedResponse } from './response-body.rules.js';
import { JsonBytes } from './sliced-json.js';

/** As for other answers: see GZIP_LEVEL. */
const LEVEL = 4;
/** The size of compressed chunks. */
const CHUNK_BYTES = 65_536;

/** A gzip header without a name and a time (RFC 1952, 2.3). */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
const OPENING = Buffer.from('{');
const CLOSING = Buffer.from('}');
const COMMA = Buffer.from(',');
/** The opening brace as an uncompressed block (RFC 1951, 3.2.4). */
const OPENING_BLOCK = Buffer.from([0, 1, 0, 0xfe, 0xff, 0x7b]);

/** Members of a response as bytes, which many responses may share: they are made once, and compressed once. */
export class SharedText {
  /** The members, each followed by a comma. */
  readonly parts: readonly Buffer[];
  /** The bytes of the parts together. */
  readonly length: number;
  #deflated: Promise<JsonBytes> | undefined;

  /** The JSON is an object with at least one member. */
  constructor({ parts, length }: Pick<JsonBytes, 'parts' | 'length'>) {
    this.parts = [...withoutEnd(withoutOpening(parts)), COMMA];
    this.length = length - OPENING.length;
  }

  /** The members as an object. */
  members(): Readonly<Record<string, unknown>> {
    const json = Buffer.concat([OPENING, ...this.parts.slice(0, -1), CLOSING]);
    return JSON.parse(json.toString()) as Readonly<Record<string, unknown>>;
  }

  /** The bytes as a part of a deflate stream. */
  deflated(): Promise<JsonBytes> {
    this.#deflated ??= deflate(this.parts, constants.Z_FULL_FLUSH);
    return this.#deflated;
  }
}

/** The parts of an object without its brace. */
const withoutOpening = ([start = OPENING, ...rest]: readonly Buffer[]): Buffer[] => [
  start.subarray(OPENING.length),
  ...rest,
];

/** The parts of an object without its last brace. */
const withoutEnd = (parts: readonly Buffer[]): Buffer[] => [
  ...parts.slice(0, -1),
  ...parts.slice(-1).map((last) => last.subarray(0, -CLOSING.length)),
];

/** The deflate stream of bytes, made in the thread pool from one part after the other. */
async function deflate(parts: readonly Buffer[], finishFlush: number): Promise<JsonBytes> {
  const options = { level: LEVEL, finishFlush, chunkSize: CHUNK_BYTES };
  return new JsonBytes(await Readable.from(parts).pipe(createDeflateRaw(options)).toArray());
}

/** The fields of a response, and members that it shares with other responses. */
export class SharedAnswer {
  constructor(
    private readonly shared: readonly SharedText[],
    private readonly own: JsonBytes,
  ) {}

  /** The body of the response. */
  body(ignored: readonly string[]): JsonBytes {
    const rest = withoutOpening(successEnvelopeOf(this.own.parts, ignored));
    const parts = [OPENING, ...this.shared.flatMap((text) => text.parts), ...rest];
    return new JsonBytes(parts, this.shared);
  }
}

/** The same body, compressed: parts of deflate streams that end at a byte are a deflate stream together. */
export async function gzipBody(
  shared: readonly SharedText[],
  json: JsonBytes,
): Promise<CompressedResponse> {
  const own = withoutOpening(successEnvelopeOf(json.parts));
  const plain = new JsonBytes([OPENING, ...shared.flatMap(({ parts }) => parts), ...own]);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(await checksumOf(plain.parts));
  const plainBytes = plain.length;
  trailer.writeUInt32LE(plainBytes, 4);
  const deflated = await Promise.all([
    ...shared.map((text) => text.deflated()),
    deflate(own, constants.Z_FINISH),
  ]);
  const parts = deflated.flatMap((stream) => stream.parts);
  const body = new JsonBytes([HEADER, OPENING_BLOCK, ...parts, trailer], deflated.slice(0, -1));
  return new CompressedResponse('gzip', body, plainBytes);
}

/** A part of this size is summed in a millisecond. */
const SUMMED_BYTES = 1_048_576;

async function checksumOf(parts: readonly Buffer[]): Promise<number> {
  const slice = new TimeSlice();
  let sum = 0;
  for (const part of parts) {
    for (let start = 0; start < part.length; start += SUMMED_BYTES) {
      sum = crc32(part.subarray(start, start + SUMMED_BYTES), sum);
      await slice.next();
    }
  }
  return sum;
}
