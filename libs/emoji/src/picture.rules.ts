import { imageSize } from 'image-size';

/** What a file of a picture says of itself. */
export interface Picture {
  readonly format: PictureFormat;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** The media types of the pictures that browsers and phones show, by the ending of their names. */
export const pictureTypes = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
} as const;

export type PictureFormat = keyof typeof pictureTypes;

/** By their first bytes; other formats never get as far as the parser, SVG with its scripts least of all. */
const beginnings: readonly (readonly [PictureFormat, RegExp])[] = [
  ['png', /^\x89PNG\r\n/],
  ['jpg', /^\xff\xd8\xff/],
  ['gif', /^GIF8[79]a/],
  ['webp', /^RIFF.{4}WEBP/s],
];

/** Reads the beginning of a file; null when it is no picture of a known format. */
export function pictureOf(beginning: Uint8Array): Picture | null {
  const start = Buffer.from(beginning.subarray(0, 16)).toString('latin1');
  const format = beginnings.find(([, pattern]) => pattern.test(start))?.[0];
  if (format === undefined) return null;
  try {
    // A copy: of a part of a buffer the library reads on behind its end.
    const { width, height, type } = imageSize(Uint8Array.from(beginning));
    return type === format && width > 0 && height > 0 ? { format, width, height } : null;
  } catch {
    return null;
  }
}
