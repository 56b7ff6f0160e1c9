import { type PictureFormat, pictureTypes } from './picture.rules.js';

/** The picture of a custom emoji, as it is kept. */
export interface StoredPicture {
  readonly realmId: number;
  /** What nobody can guess, so that who has the address may see the picture. */
  readonly token: string;
  readonly sizeBytes: number;
  readonly format: PictureFormat;
}

const FILE_NAME = new RegExp(
  `^([\\w-]{22})-([1-9]\\d{0,8})\\.(${Object.keys(pictureTypes).join('|')})$`,
);

/** The key of a picture in the file storage. It says all there is to know of it. */
export const pictureKey = ({ realmId, token, sizeBytes, format }: StoredPicture): string =>
  `emoji/${realmId}/${token}-${sizeBytes}.${format}`;

/** The path, below the server's root, at which clients find a picture by its key. */
export function picturePath(realmId: number, fileKey: string): string {
  const fileName = fileKey.slice(fileKey.lastIndexOf('/') + 1);
  return `/user_avatars/${realmId}/emoji/images/${fileName}`;
}

/** The picture that a path of ours ends in; null for what can be none. */
export function pictureNamed(realmId: number, fileName: string): StoredPicture | null {
  const [, token, size, format] = FILE_NAME.exec(fileName) ?? [];
  if (token === undefined || size === undefined || !isPictureFormat(format)) return null;
  return { realmId, token, sizeBytes: Number(size), format };
}

const isPictureFormat = (format: string | undefined): format is PictureFormat =>
  format !== undefined && Object.hasOwn(pictureTypes, format);
