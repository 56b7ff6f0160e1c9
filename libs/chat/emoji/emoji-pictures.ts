import { randomBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { FILE_STORAGE, FileMissing, type FileStorage, RemovedFileRepository } from '#chat/uploads';
import { ApiError, requestErrors } from '#platform/contracts';
import type { Transaction } from '#platform/database';
import { emojiErrors } from './emoji.errors.js';
import {
  type EmojiPicture,
  type Picture,
  pictureKey,
  pictureNamed,
  pictureOf,
  pictureTypes,
} from './emoji-picture.rules.js';
import { framesOf } from './picture-frames.rules.js';
import { RealmEmojiRepository } from './realm-emoji.repository.js';

/** In pixels. A phone needs tens of megabytes of memory for a larger picture. */
const MAX_SIDE = 2048;

/** Of an animation. */
const MAX_FRAMES = 500;

/** Picture formats store the size near the beginning; photos store it after their metadata. */
const HEADER_BYTES = 262_144;

const TOKEN_BYTES = 16;

/** A file on local disk with the picture of an emoji; storing it may move it. */
export interface EmojiFile {
  readonly path: string;
  readonly sizeBytes: number;
}

/** The pictures of custom emoji in the file storage. */
@Injectable()
export class EmojiPictures {
  constructor(
    private readonly realmEmoji: RealmEmojiRepository,
    private readonly removedFiles: RemovedFileRepository,
    @Inject(FILE_STORAGE) private readonly storage: FileStorage,
  ) {}

  /**
   * Stores a picture and resolves with its key. The picture is removed later unless `keep` is called: so a crash or an outage
   * leaves no picture without an emoji. Throws ApiError for a file that is not a picture, and for one with too many pixels or
   * frames.
   */
  async store(realmId: number, { path, sizeBytes }: EmojiFile): Promise<string> {
    const { format } = checkedPicture(await readHeader(path));
    checkFrames(await readFile(path), format);
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const key = pictureKey({ realmId, token, sizeBytes, format });
    await this.removedFiles.note(key);
    await this.storage.store(key, { path, contentType: pictureTypes[format] });
    return key;
  }

  /** Keeps a stored picture, in the transaction that adds its emoji. */
  keep(transaction: Transaction, key: string): Promise<void> {
    return this.removedFiles.forget([key], transaction);
  }

  /** Removes a stored picture whose emoji was refused. */
  remove(key: string): Promise<void> {
    return this.storage.remove(key);
  }

  /** The picture of an emoji, deactivated or not. Throws `notFound` when no emoji of the organisation has it. */
  async open(realmId: number, fileName: string): Promise<EmojiPicture> {
    const picture = pictureNamed(realmId, fileName);
    if (picture === null) throw new ApiError(requestErrors.notFound);
    const fileKey = pictureKey(picture);
    if (!(await this.realmEmoji.hasPicture(realmId, fileKey)))
      throw new ApiError(requestErrors.notFound);
    return {
      contentType: pictureTypes[picture.format],
      sizeBytes: picture.sizeBytes,
      read: (range) => this.storage.read(fileKey, range).catch(asNotFound),
    };
  }
}

async function readHeader(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    const { bytesRead } = await file.read(header, 0, HEADER_BYTES, 0);
    return header.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function checkedPicture(header: Uint8Array): Picture {
  const picture = pictureOf(header);
  if (picture === null) throw new ApiError(emojiErrors.emojiFileNoPicture);
  if (Math.max(picture.width, picture.height) > MAX_SIDE) {
    throw new ApiError(emojiErrors.emojiPictureTooLarge, { limit: MAX_SIDE });
  }
  return picture;
}

function checkFrames(file: Buffer, format: Picture['format']): void {
  const { count, maxSide } = framesOf(file, format);
  if (count > MAX_FRAMES) throw new ApiError(emojiErrors.emojiFramesTooMany, { limit: MAX_FRAMES });
  if (maxSide > MAX_SIDE) throw new ApiError(emojiErrors.emojiPictureTooLarge, { limit: MAX_SIDE });
}

function asNotFound(error: unknown): never {
  throw error instanceof FileMissing ? new ApiError(requestErrors.notFound) : error;
}
