import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '#contracts';
import { FILE_STORAGE, FileMissing, type FileStorage } from '#uploads';
import { pictureKey, pictureNamed } from './emoji-picture.rules.js';
import { pictureTypes } from './picture.rules.js';
import { RealmEmojiRepository } from './realm-emoji.repository.js';

/** A picture that can be read. */
export interface EmojiPicture {
  readonly contentType: string;
  readonly sizeBytes: number;
  /** All of it, or the bytes from the first to the last of a range. */
  readonly read: (
    range: { readonly first: number; readonly last: number } | null,
  ) => Promise<Readable>;
}

/** Finds the picture of a custom emoji for whoever has its address, deactivated or not. */
@Injectable()
export class OpenEmojiPicture {
  constructor(
    private readonly realmEmoji: RealmEmojiRepository,
    @Inject(FILE_STORAGE) private readonly storage: FileStorage,
  ) {}

  /** Throws ApiError `notFound` when no emoji of the organisation has the picture. */
  async execute(realmId: number, fileName: string): Promise<EmojiPicture> {
    const picture = pictureNamed(realmId, fileName);
    if (picture === null) throw new ApiError('notFound');
    const fileKey = pictureKey(picture);
    if (!(await this.realmEmoji.hasPicture(realmId, fileKey))) throw new ApiError('notFound');
    return {
      contentType: pictureTypes[picture.format],
      sizeBytes: picture.sizeBytes,
      read: (range) => this.storage.read(fileKey, range).catch(asNotFound),
    };
  }
}

function asNotFound(error: unknown): never {
  throw error instanceof FileMissing ? new ApiError('notFound') : error;
}
