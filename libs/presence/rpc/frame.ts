import type { Socket } from 'node:net';

/**
 * The frames of the connection between a gateway and a presence process, big-endian:
 *
 *   length u32 of the rest | version u8 | kind u8 | call u32 | body: text in UTF-8, or compressed
 *
 * A connection begins with a handshake, in which each side proves that it knows the shared secret: hello, challenge,
 * proof, welcome. An answer carries the call number of its request. Answers may come in any order.
 *
 * Version 1 had no handshake.
 */
const PROTOCOL_VERSION = 2;

/** The kinds of frames. A number is never used for another kind, because releases run side by side. */
export const frameKinds = {
  /** To the server: a PresenceRequest as JSON. */
  report: 1,
  /** To the server: a VisibilityChange as JSON. */
  visibility: 2,
  /** To the client: the finished text. */
  answer: 3,
  /** To the client: the request failed; the body is the reason. */
  failure: 4,
  /** To the client, as call 0: send no more requests, and close the connection after the last answer. */
  goingAway: 5,
  /** To the client: the compressed body of a whole response. */
  gzipAnswer: 6,
  brotliAnswer: 7,
  /** To the server: a PresenceViewer as JSON. */
  readRealm: 8,
  /** To the server: a UserPresenceQuery as JSON; the answer is a UserReading as JSON. */
  readUser: 9,
  /** To the server, as the first frame: the gateway's nonce. */
  hello: 10,
  /** To the client: the presence process's nonce, and its proof. */
  challenge: 11,
  /** To the server: the gateway's proof. */
  proof: 12,
  /** To the client: the handshake is complete. */
  welcome: 13,
  /** To the server: an OnlineQuery as JSON; the answer is an OnlineReading as JSON. */
  readOnline: 14,
  /** To the client, as call 0: users of a realm came online; the body is the id of the realm. */
  online: 15,
} as const;

/** The names of the kinds, for people. */
export const frameKindNames: ReadonlyMap<number, string> = new Map(
  Object.entries(frameKinds).map(([name, kind]) => [kind, name]),
);

/** One of `frameKinds`. */
export type FrameKind = (typeof frameKinds)[keyof typeof frameKinds];

/** A frame to send. */
export interface Frame {
  readonly kind: number;
  readonly call: number;
  readonly body: string | Buffer;
}

/** A received frame. Its body is a view of the receive buffer. */
export interface FrameReading extends Frame {
  readonly body: Buffer;
}

/** The peer uses another protocol, or sent an oversized frame: the connection must be closed. */
export class MalformedFrame extends Error {
  override readonly name = 'MalformedFrame';
}

const LENGTH_BYTES = 4;
const HEAD_BYTES = 6;
/** The first bytes of a response of HTTP, such as that of a health port. */
const HTTP = Buffer.from('HTTP').readUInt32BE();

/** Encodes frames into one buffer, for one write. */
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

/** Decodes a stream of bytes into frames. */
export class FrameReader {
  #chunks: Buffer[] = [];
  #size = 0;
  /** The number of bytes that the next frame needs. */
  #needed = LENGTH_BYTES;

  constructor(private maxBytes: number) {}

  /** Sets the size limit of the next frames. */
  allow(maxBytes: number): void {
    this.maxBytes = maxBytes;
  }

  /** Returns the frames that a chunk completes. After a MalformedFrame error the reader must not be used. */
  read(chunk: Buffer): FrameReading[] {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#needed) return [];
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    const frames: FrameReading[] = [];
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
    if (length === HTTP) {
      throw new MalformedFrame(
        'The port answers with HTTP: it is not PRESENCE_PORT of a presence process',
      );
    }
    if (length < HEAD_BYTES || length > this.maxBytes) {
      throw new MalformedFrame(`A frame of ${length} bytes`);
    }
    return length;
  }
}

function frameAt(bytes: Buffer, start: number, end: number): FrameReading {
  const version = bytes.readUInt8(start);
  if (version !== PROTOCOL_VERSION) throw new MalformedFrame(`Protocol version ${version}`);
  return {
    kind: bytes.readUInt8(start + 1),
    call: bytes.readUInt32BE(start + 2),
    body: bytes.subarray(start + HEAD_BYTES, end),
  };
}

/** A batch of this length is written at once, so that the peer can start to read. */
const ENOUGH_LENGTH = 64 * 1024;

/** Sends the frames of one turn of the event loop in one write: most of the cost of a hop is writes. */
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
