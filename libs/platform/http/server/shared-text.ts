import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, type ZlibOptions } from 'node:zlib';
import { successEnvelopeOf } from '#platform/contracts';
import { TimeSlice } from '#platform/core';
import { CompressedResponse } from './response-body.rules.js';
import type { JsonBytes } from './sliced-json.js';

const deflate = promisify<Buffer, ZlibOptions, Buffer>(deflateRaw);

/** As for other answers: see GZIP_LEVEL. */
const LEVEL = 4;

/** A gzip header without a name and a time (RFC 1952, 2.3). */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
const OPENING = Buffer.from('{');
/** The opening brace as an uncompressed block (RFC 1951, 3.2.4). */
const OPENING_BLOCK = Buffer.from([0, 1, 0, 0xfe, 0xff, 0x7b]);

/** Members of a response that many responses share: their bytes are made once, and compressed once. */
export class SharedText {
  /** The members, each followed by a comma. */
  readonly bytes: Buffer;
  #deflated: Promise<Buffer> | undefined;

  /** The JSON is an object with at least one member. */
  constructor({ parts }: JsonBytes) {
    this.bytes = Buffer.concat(parts).subarray(1);
    this.bytes.write(',', this.bytes.length - 1);
  }

  /** The members as an object. */
  members(): Readonly<Record<string, unknown>> {
    return JSON.parse(`{${this.bytes.toString('utf8', 0, this.bytes.length - 1)}}`) as Readonly<
      Record<string, unknown>
    >;
  }

  /** The bytes as a part of a deflate stream. */
  deflated(): Promise<Buffer> {
    this.#deflated ??= deflate(this.bytes, { level: LEVEL, finishFlush: constants.Z_FULL_FLUSH });
    return this.#deflated;
  }
}

/** The parts of an object without its brace. */
const withoutOpening = ([start = OPENING, ...rest]: readonly Buffer[]): Buffer[] => [
  start.subarray(OPENING.length),
  ...rest,
];

/** The fields of a response, and members that it shares with other responses. */
export class SharedAnswer {
  constructor(
    private readonly shared: readonly SharedText[],
    private readonly own: JsonBytes,
  ) {}

  /** The body of the response. */
  body(ignored: readonly string[]): Buffer {
    const rest = withoutOpening(successEnvelopeOf(this.own.parts, ignored));
    return Buffer.concat([OPENING, ...this.shared.map(({ bytes }) => bytes), ...rest]);
  }
}

/** The same body, compressed: parts of deflate streams that end at a byte are a deflate stream together. */
export async function gzipBody(
  shared: readonly SharedText[],
  json: JsonBytes,
): Promise<CompressedResponse> {
  const own = Buffer.concat(withoutOpening(successEnvelopeOf(json.parts)));
  const plain = [OPENING, ...shared.map(({ bytes }) => bytes), own];
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(await checksumOf(plain));
  const plainBytes = plain.reduce((length, part) => length + part.length, 0);
  trailer.writeUInt32LE(plainBytes, 4);
  const deflated = await Promise.all([
    ...shared.map((part) => part.deflated()),
    deflate(own, { level: LEVEL, finishFlush: constants.Z_FINISH }),
  ]);
  const body = Buffer.concat([HEADER, OPENING_BLOCK, ...deflated, trailer]);
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
