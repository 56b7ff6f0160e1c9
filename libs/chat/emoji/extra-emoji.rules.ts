import { cellPicture } from '#directory/avatars';

/** The letter Z. */
const CELLS = ['#####', '...#.', '..#..', '.#...', '#####'];
const COLOUR = [0x64, 0x4c, 0xb3];

/** In pixels; a picture is six cells wide. */
const CELL_SIZE = 12;

/** The picture of the emoji that every server has besides those of Unicode. */
export const extraEmojiPicture: Buffer = cellPicture(
  CELLS.map((row) => Array.from(row, (cell) => cell === '#')),
  COLOUR,
  CELL_SIZE,
);
