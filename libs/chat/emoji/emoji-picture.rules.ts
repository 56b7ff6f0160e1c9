import type { Readable } from 'node:stream';
import { imageSize } from 'image-size';

/** A picture that the caller may read. */
export interface EmojiPicture {
  readonly contentType: string;
  readonly sizeBytes: number;
  /** The whole picture, or the bytes from the first to the last of a range. */
  readonly read: (
    range: { readonly first: number; readonly last: number } | null,
  ) => Promise<Readable>;
}

/** The metadata of a picture file. */
export interface Picture {
  readonly format: PictureFormat;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** The media types of pictures that browsers and phones show, by file extension. */
export const pictureTypes = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
} as const;

type PictureFormat = keyof typeof pictureTypes;

/** Formats by their first bytes. Other formats never reach the parser, in particular SVG with its scripts. */
const magicBytes: readonly (readonly [PictureFormat, RegExp])[] = [
  ['png', /^\x89PNG\r\n/],
  ['jpg', /^\xff\xd8\xff/],
  ['gif', /^GIF8[79]a/],
  ['webp', /^RIFF.{4}WEBP/s],
];

/** Reads the beginning of a file; null when it is not a picture of a known format. */
export function pictureOf(beginning: Uint8Array): Picture | null {
  const start = Buffer.from(beginning.subarray(0, 16)).toString('latin1');
  const format = magicBytes.find(([, pattern]) => pattern.test(start))?.[0];
  if (format === undefined) return null;
  try {
    // A copy, since the library reads past the end of a sliced buffer.
    const { width, height, type } = imageSize(Uint8Array.from(beginning));
    return type === format && width > 0 && height > 0 ? { format, width, height } : null;
  } catch {
    return null;
  }
}

/** The stored picture of a custom emoji. */
interface PictureFile {
  readonly realmId: number;
  /** Random, so that only a reader who knows the address finds the picture. */
  readonly token: string;
  readonly sizeBytes: number;
  readonly format: PictureFormat;
}

const FILE_NAME = new RegExp(
  `^([\\w-]{22})-([1-9]\\d{0,8})\\.(${Object.keys(pictureTypes).join('|')})$`,
);

/** The key of a picture in the file storage. It contains all data of the picture. */
export const pictureKey = ({ realmId, token, sizeBytes, format }: PictureFile): string =>
  `emoji/${realmId}/${token}-${sizeBytes}.${format}`;

/** The picture of a file name from `picturePath`; null for any other name. */
export function pictureNamed(realmId: number, fileName: string): PictureFile | null {
  const [, token, size, format] = FILE_NAME.exec(fileName) ?? [];
  if (token === undefined || size === undefined || !isPictureFormat(format)) return null;
  return { realmId, token, sizeBytes: Number(size), format };
}

const isPictureFormat = (format: string | undefined): format is PictureFormat =>
  format !== undefined && Object.hasOwn(pictureTypes, format);
