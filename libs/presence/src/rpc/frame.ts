/**
 * What goes over the connection between the gateway and the presence program, big-endian:
 *
 *   length u32 of what follows | version u8 | kind u8 | call u32 | body: text in UTF-8, or compressed
 *
 * A connection begins with a handshake, in which each side proves that it knows the shared secret: hello, challenge,
 * proof, welcome. An answer carries the call number of its request; answers come in any order.
 *
 * Version 1 had no handshake.
 */
export const PROTOCOL_VERSION = 2;

export const frameKinds = {
  /** To the server: a PresenceRequest as JSON. */
  report: 1,
  /** To the server: a VisibilityChange as JSON. */
  visibility: 2,
  /** To the client: the finished text. */
  answer: 3,
  /** To the client: the request could not be carried out; the body says why. */
  failure: 4,
  /** To the client, as call 0: send nothing more here, and close when all is answered. */
  goingAway: 5,
  /** To the client: the body of a whole response, compressed. */
  gzipAnswer: 6,
  brotliAnswer: 7,
  /** To the server: a PresenceViewer as JSON. */
  readRealm: 8,
  /** To the server: a UserPresenceQuestion as JSON; the answer is a UserReading as JSON. */
  readUser: 9,
  /** To the server, first of all: the gateway's nonce. */
  hello: 10,
  /** To the client: the presence process's nonce, and its proof. */
  challenge: 11,
  /** To the server: the gateway's proof. */
  proof: 12,
  /** To the client: requests are answered from now on. */
  welcome: 13,
} as const;
export type FrameKind = (typeof frameKinds)[keyof typeof frameKinds];

/** A frame to be sent. */
export interface Frame {
  readonly kind: number;
  readonly call: number;
  readonly body: string | Buffer;
}

/** A frame that has come; its body lies in the memory that it was read into. */
export interface ReadFrame extends Frame {
  readonly body: Buffer;
}

/** The peer speaks another protocol, or an oversized message of ours: the connection is of no use. */
export class MalformedFrame extends Error {
  override readonly name = 'MalformedFrame';
}

const LENGTH_BYTES = 4;
const HEAD_BYTES = 6;

/** Lays frames one after another into one piece of memory, for one write. */
export function encodeFrames(frames: readonly Frame[]): Buffer {
  const lengths = frames.map((frame) => HEAD_BYTES + Buffer.byteLength(frame.body));
  const total = lengths.reduce((sum, length) => sum + LENGTH_BYTES + length, 0);
  const bytes = Buffer.allocUnsafe(total);
  let start = 0;
  frames.forEach((frame, index) => {
    const length = lengths[index] ?? 0;
    bytes.writeUInt32BE(length, start);
    bytes.writeUInt8(PROTOCOL_VERSION, start + 4);
    bytes.writeUInt8(frame.kind, start + 5);
    bytes.writeUInt32BE(frame.call, start + 6);
    if (typeof frame.body === 'string') bytes.write(frame.body, start + 10);
    else bytes.set(frame.body, start + 10);
    start += LENGTH_BYTES + length;
  });
  return bytes;
}

/** Cuts a stream of bytes into frames. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #size = 0;
  /** Bytes that must be there before it is worth looking again. */
  #needed = LENGTH_BYTES;

  constructor(private mostBytes: number) {}

  /** Sets how large the next frames may be. */
  allow(mostBytes: number): void {
    this.mostBytes = mostBytes;
  }

  /** The frames completed by a chunk; throws MalformedFrame, after which the reader is of no use. */
  read(chunk: Buffer): ReadFrame[] {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#needed) return [];
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    const frames: ReadFrame[] = [];
    let start = 0;
    this.#needed = LENGTH_BYTES;
    while (bytes.length - start >= LENGTH_BYTES) {
      const length = this.#lengthAt(bytes, start);
      const end = start + LENGTH_BYTES + length;
      if (end > bytes.length) {
        this.#needed = LENGTH_BYTES + length;
        break;
      }
      frames.push(frameAt(bytes, start + LENGTH_BYTES, end));
      start = end;
    }
    this.#chunks = start === bytes.length ? [] : [bytes.subarray(start)];
    this.#size = bytes.length - start;
    return frames;
  }

  #lengthAt(bytes: Buffer, start: number): number {
    const length = bytes.readUInt32BE(start);
    if (length < HEAD_BYTES || length > this.mostBytes) {
      throw new MalformedFrame(`A frame of ${length} bytes`);
    }
    return length;
  }
}

function frameAt(bytes: Buffer, start: number, end: number): ReadFrame {
  const version = bytes.readUInt8(start);
  if (version !== PROTOCOL_VERSION) throw new MalformedFrame(`Protocol version ${version}`);
  return {
    kind: bytes.readUInt8(start + 1),
    call: bytes.readUInt32BE(start + 2),
    body: bytes.subarray(start + HEAD_BYTES, end),
  };
}
