import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

/** The pattern has this number of cells in each direction, and a margin of half a cell around it. */
const CELLS = 5;
/** The columns that the digest decides; the others mirror them. */
const FREE_COLUMNS = 3;

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const BACKGROUND = [0xf0, 0xf0, 0xf0];

/**
 * The picture of an account as a PNG: a symmetrical pattern in one colour. It depends on the id alone, so it does not reveal
 * whether the account exists. `cellSize` is in pixels and even; the picture is six cells wide and high.
 */
export function avatarPicture(userId: number, cellSize: number): Buffer {
  const digest = createHash('sha256').update(`avatar ${userId}`).digest();
  const rows = Array.from({ length: CELLS }, (_, row) => cellsOf(digest, row));
  return cellPicture(rows, colourOf(digest), cellSize);
}

/** A PNG of five by five cells, each filled with the colour (red, green, blue) or not, and a margin around them. */
export function cellPicture(
  cells: readonly (readonly boolean[])[],
  colour: readonly number[],
  cellSize: number,
): Buffer {
  const edge = (CELLS + 1) * cellSize;
  const margin = Buffer.concat(Array.from({ length: cellSize / 2 }, () => rowOf([], cellSize)));
  const rows = cells.map((row) => {
    const pixels = rowOf(row, cellSize);
    return Buffer.concat(Array.from({ length: cellSize }, () => pixels));
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(edge, 0);
  header.writeUInt32BE(edge, 4);
  // One bit for each pixel, an index of the palette.
  header.set([1, 3], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from([...BACKGROUND, ...colour])),
    chunk('IDAT', deflateSync(Buffer.concat([margin, ...rows, margin]))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Whether each cell of a row is filled. */
function cellsOf(digest: Buffer, row: number): boolean[] {
  const free = Array.from({ length: FREE_COLUMNS }, (_, column) => {
    const byte = digest[row * FREE_COLUMNS + column] ?? 0;
    return byte % 2 === 0;
  });
  return [...free, ...free.slice(0, CELLS - FREE_COLUMNS).toReversed()];
}

/** A row of pixels behind the byte of its filter, here no filter. */
function rowOf(cells: readonly boolean[], cellSize: number): Buffer {
  const row = Buffer.alloc(1 + Math.ceil(((CELLS + 1) * cellSize) / 8));
  for (const [column, isFilled] of cells.entries()) {
    if (!isFilled) continue;
    const first = cellSize / 2 + column * cellSize;
    for (let x = first; x < first + cellSize; x += 1) {
      const at = 1 + Math.floor(x / 8);
      row[at] = (row[at] ?? 0) | (0x80 >> (x % 8));
    }
  }
  return row;
}

/** A colour of medium lightness: its channels are within 64 and 191. */
const colourOf = (digest: Buffer): number[] =>
  [...digest.subarray(-3)].map((byte) => 64 + Math.floor(byte / 2));

function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
