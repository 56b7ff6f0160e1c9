/** The width and height of each frame. */
type Sizes = readonly (readonly [number, number])[];

/** A GIF of one pixel with frames of any size, and without their data. */
export function animatedGif(sizes: Sizes): Buffer {
  const frames = sizes.map(([width, height]) => {
    const frame = Buffer.from(
      '21f9040000000000 2c00000000 00000000 00 02 01 00 00'.replaceAll(' ', ''),
      'hex',
    );
    frame.writeUInt16LE(width, 13);
    frame.writeUInt16LE(height, 15);
    return frame;
  });
  return Buffer.concat([
    Buffer.from('GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1'),
    ...frames,
    Buffer.from(';'),
  ]);
}

/** The same as a PNG. */
export function animatedPng(sizes: Sizes): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
  };
  const of = (width: number, height: number, bytes: number): Buffer => {
    const data = Buffer.alloc(bytes);
    data.writeUInt32BE(width, bytes - 22);
    data.writeUInt32BE(height, bytes - 18);
    return data;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(1, 0);
  header.writeUInt32BE(1, 4);
  header.writeUInt8(8, 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    ...sizes.map(([width, height]) => chunk('fcTL', of(width, height, 26))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The same as a WebP. */
export function animatedWebp(sizes: Sizes): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(data.length);
    return Buffer.concat([Buffer.from(type), length, data]);
  };
  const frames = sizes.map(([width, height]) => {
    const data = Buffer.alloc(16);
    data.writeUIntLE(width - 1, 6, 3);
    data.writeUIntLE(height - 1, 9, 3);
    return chunk('ANMF', data);
  });
  const content = Buffer.concat([Buffer.from('WEBP'), chunk('VP8X', Buffer.alloc(10)), ...frames]);
  return chunk('RIFF', content);
}
