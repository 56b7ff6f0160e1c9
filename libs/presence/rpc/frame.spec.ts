import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  encodeFrames,
  type Frame,
  FrameReader,
  MalformedFrame,
  type FrameReading,
} from './frame.js';

const anyFrame: fc.Arbitrary<Frame> = fc.record({
  kind: fc.nat(255),
  call: fc.nat(0xffff_ffff),
  body: fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 50 }),
    fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
  ),
});

const bytesOf = (body: string | Buffer): Buffer =>
  typeof body === 'string' ? Buffer.from(body) : body;

describe(FrameReader.name, () => {
  it('decodes encoded frames from chunks of any size', () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.array(anyFrame), cuts, (frames, sizes) => {
        const bytes = encodeFrames(frames);
        const sut = new FrameReader(10_000);
        const read: FrameReading[] = [];
        for (let start = 0, index = 0; start < bytes.length; index += 1) {
          const end = start + (sizes[index % sizes.length] ?? 1);
          read.push(...sut.read(bytes.subarray(start, end)));
          start = end;
        }
        expect(read).toEqual(frames.map((frame) => ({ ...frame, body: bytesOf(frame.body) })));
      }),
    );
  });

  it('rejects an oversized frame as soon as its length is known', () => {
    const sut = new FrameReader(100);
    const head = Buffer.alloc(4);
    head.writeUInt32BE(101);
    expect(() => sut.read(head)).toThrow(MalformedFrame);
  });

  it('rejects a frame that is shorter than its head', () => {
    expect(() => new FrameReader(100).read(Buffer.from([0, 0, 0, 5, 1]))).toThrow(MalformedFrame);
    const response = Buffer.from('HTTP/1.1 400 Bad Request\r\n');
    expect(() => new FrameReader(100).read(response)).toThrow('PRESENCE_PORT');
  });

  it('rejects another protocol version', () => {
    const bytes = encodeFrames([{ kind: 1, call: 1, body: 'x' }]);
    bytes.writeUInt8(1, 4);
    expect(() => new FrameReader(100).read(bytes)).toThrow('Protocol version 1');
  });
});
