import { describe, expect, it } from '@jest/globals';
import { inflateSync } from 'node:zlib';
import { avatarPicture } from './avatar-picture.rules.js';

/** The pixels of a picture with one bit for each, true for the colour. */
function pixelsOf(picture: Buffer): boolean[][] {
  const width = picture.readUInt32BE(16);
  const at = picture.indexOf('IDAT');
  const rows = inflateSync(picture.subarray(at + 4, at + 4 + picture.readUInt32BE(at - 4)));
  const rowLength = 1 + Math.ceil(width / 8);
  return Array.from({ length: rows.length / rowLength }, (_, row) =>
    Array.from({ length: width }, (_pixel, x) => {
      const byte = rows[row * rowLength + 1 + Math.floor(x / 8)] ?? 0;
      return (byte & (0x80 >> (x % 8))) !== 0;
    }),
  );
}

describe(avatarPicture.name, () => {
  it.each([4, 20, 80])('is a square PNG with a margin, in cells of %i pixels', (cellSize) => {
    const picture = avatarPicture(7, cellSize);
    expect(picture.subarray(1, 4).toString()).toBe('PNG');
    const pixels = pixelsOf(picture);
    expect(picture.readUInt32BE(20)).toBe(6 * cellSize);
    expect(pixels).toHaveLength(6 * cellSize);
    const margin = cellSize / 2;
    expect(pixels.slice(0, margin).flat()).not.toContain(true);
    expect(pixels.flatMap((row) => row.slice(0, margin))).not.toContain(true);
    expect(pixels.flat()).toContain(true);
  });

  it('is symmetrical', () => {
    for (const row of pixelsOf(avatarPicture(8, 20))) expect(row).toEqual(row.toReversed());
  });

  it('is the same for the same account and differs for others', () => {
    expect(avatarPicture(7, 20)).toEqual(avatarPicture(7, 20));
    const different = new Set(
      Array.from({ length: 1000 }, (_, id) => avatarPicture(id, 4).toString('base64')),
    );
    expect(different.size).toBe(1000);
  });
});
