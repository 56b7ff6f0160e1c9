/** The frames of an animated picture. */
export interface Frames {
  readonly count: number;
  /** In pixels, from the edge of the picture to the far edge of any frame. */
  readonly maxSide: number;
}

/** Takes a frame with the far edges right and below, in pixels. */
type OnFrame = (right: number, bottom: number) => void;

/**
 * The frames of a picture, from their headers: a decoder may allocate a frame as large as its own header says, whatever the
 * size of the picture. Reads every block once; a damaged picture has the frames before the damage. None for a JPEG.
 */
export function framesOf(file: Buffer, format: 'png' | 'jpg' | 'gif' | 'webp'): Frames {
  let count = 0;
  let maxSide = 0;
  const onFrame: OnFrame = (right, bottom) => {
    count += 1;
    maxSide = Math.max(maxSide, right, bottom);
  };
  if (format === 'gif') readGif(file, onFrame);
  if (format === 'png') readPng(file, onFrame);
  if (format === 'webp') readWebp(file, onFrame);
  return { count, maxSide };
}

const GIF_HEADER_BYTES = 13;
const EXTENSION = 0x21;
const IMAGE = 0x2c;
const IMAGE_BYTES = 10;

function readGif(file: Buffer, onFrame: OnFrame): void {
  let at = GIF_HEADER_BYTES + colourTableBytes(file[10]);
  while (at + IMAGE_BYTES <= file.length) {
    if (file[at] === IMAGE) {
      const [left, top, width, height] = [1, 3, 5, 7].map((field) => file.readUInt16LE(at + field));
      onFrame((left ?? 0) + (width ?? 0), (top ?? 0) + (height ?? 0));
      // The byte before the data is the size of its codes.
      at = afterSubBlocks(file, at + IMAGE_BYTES + colourTableBytes(file[at + 9]) + 1);
    } else if (file[at] === EXTENSION) {
      at = afterSubBlocks(file, at + 2);
    } else return;
  }
}

const colourTableBytes = (flags = 0): number => ((flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1));

function afterSubBlocks(file: Buffer, start: number): number {
  let at = start;
  for (let size = file[at]; size !== undefined && size > 0; size = file[at]) at += size + 1;
  return at + 1;
}

const PNG_SIGNATURE_BYTES = 8;

function readPng(file: Buffer, onFrame: OnFrame): void {
  // A chunk is its length, its type, its data and a checksum of four bytes each.
  for (let at = PNG_SIGNATURE_BYTES; at + 12 <= file.length; at += file.readUInt32BE(at) + 12) {
    if (file.toString('latin1', at + 4, at + 8) !== 'fcTL' || at + 28 > file.length) continue;
    const [width, height, x, y] = [12, 16, 20, 24].map((field) => file.readUInt32BE(at + field));
    onFrame((x ?? 0) + (width ?? 0), (y ?? 0) + (height ?? 0));
  }
}

const WEBP_HEADER_BYTES = 12;

function readWebp(file: Buffer, onFrame: OnFrame): void {
  let at = WEBP_HEADER_BYTES;
  while (at + 8 <= file.length) {
    const bytes = file.readUInt32LE(at + 4);
    if (file.toString('latin1', at, at + 4) === 'ANMF' && at + 20 <= file.length) {
      const [x, y, width, height] = [8, 11, 14, 17].map((field) => file.readUIntLE(at + field, 3));
      // Places are stored by halves, sizes less one.
      onFrame(2 * (x ?? 0) + (width ?? 0) + 1, 2 * (y ?? 0) + (height ?? 0) + 1);
    }
    at += 8 + bytes + (bytes % 2);
  }
}
