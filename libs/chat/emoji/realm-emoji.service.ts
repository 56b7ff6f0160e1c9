import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { UnicodeEmoji } from '#chat/emoji-names';
import { FILE_STORAGE, FileMissing, type FileStorage } from '#chat/uploads';
import {
  ApiError,
  type Caller,
  isAdministrator,
  LIMITS,
  type Limits,
  limitErrors,
  requestErrors,
} from '#platform/contracts';
import { Database } from '#platform/database';
import { emojiErrors } from './emoji.errors.js';
import { EmojiEvents } from './emoji.events.js';
import { customEmojiName, extraEmoji } from './emoji.rules.js';
import {
  type EmojiPicture,
  type Picture,
  pictureKey,
  pictureNamed,
  pictureOf,
  pictureTypes,
} from './emoji-picture.rules.js';
import { type RealmEmoji, RealmEmojiRepository } from './realm-emoji.repository.js';

/** In pixels. A phone needs tens of megabytes of memory for a larger picture. */
const MAX_SIDE = 2048;

/** Picture formats store the size near the beginning; photos store it after their metadata. */
const HEADER_BYTES = 262_144;

const TOKEN_BYTES = 16;

/** A file on local disk with the picture of an emoji; storing it may move it. */
interface EmojiFile {
  readonly path: string;
  readonly sizeBytes: number;
}

/** Lists, adds and deactivates the custom emoji of organisations, and opens their pictures. */
@Injectable()
export class RealmEmojiService {
  constructor(
    private readonly realmEmoji: RealmEmojiRepository,
    private readonly unicode: UnicodeEmoji,
    private readonly database: Database,
    private readonly events: EmojiEvents,
    @Inject(FILE_STORAGE) private readonly storage: FileStorage,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'customEmoji'>,
  ) {}

  /** All emoji of an organisation, including deactivated ones. */
  list(realmId: number): Promise<RealmEmoji[]> {
    return this.realmEmoji.list(realmId);
  }

  /**
   * Adds an emoji to the organisation. Throws ApiError for an invalid name, a name of a built-in emoji unless the
   * caller is an administrator, a name of an active emoji, a file that is not a picture or too large, and when the
   * organisation has too many emoji.
   */
  async add(caller: Caller, givenName: string, file: EmojiFile): Promise<void> {
    const name = customEmojiName(givenName);
    if (this.#isBuiltIn(name) && !isAdministrator(caller.role)) {
      throw new ApiError(emojiErrors.emojiNameIsBuiltIn);
    }
    // Rejects the name before the file is stored. The insertion checks it again.
    if ((await this.realmEmoji.findActive(caller.realm.id, name)) !== null) {
      throw new ApiError(emojiErrors.customEmojiExists);
    }
    const { format } = checkedPicture(await readHeader(file.path));
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const { sizeBytes } = file;
    const fileKey = pictureKey({ realmId: caller.realm.id, token, sizeBytes, format });
    await this.storage.store(fileKey, { path: file.path, contentType: pictureTypes[format] });
    const added = await this.#add(caller, name, fileKey);
    if (added === 'name is taken') throw new ApiError(emojiErrors.customEmojiExists);
    if (added === 'list is full') {
      const limit = this.limits.customEmoji;
      throw new ApiError(limitErrors.organizationLimitReached, { limit, what: 'custom emoji' });
    }
  }

  #isBuiltIn(name: string): boolean {
    return name === extraEmoji.name || this.unicode.codeOf(name) !== undefined;
  }

  /**
   * Removes the file again when the emoji is refused. After a failure it stays, because the transaction may be committed: the
   * answer to a commit can be lost.
   */
  async #add({ realm, userId }: Caller, name: string, fileKey: string) {
    const emoji = { realmId: realm.id, authorId: userId, name, fileKey };
    const added = await this.database.transaction(async (transaction) => {
      const stored = await this.realmEmoji.add(transaction, emoji, this.limits.customEmoji);
      if (typeof stored !== 'string') await this.events.added(transaction, realm.id, stored);
      return stored;
    });
    if (typeof added === 'string') await this.storage.remove(fileKey);
    return added;
  }

  /**
   * Deactivates an emoji; statuses and reactions keep it. Throws `noSuchCustomEmoji` when no active emoji has the
   * name, and `mayNotRemoveEmoji` for callers who are neither its author nor an administrator.
   */
  async deactivate(caller: Caller, name: string): Promise<void> {
    const emoji = await this.realmEmoji.findActive(caller.realm.id, name);
    if (emoji === null) throw new ApiError(emojiErrors.noSuchCustomEmoji, { name });
    if (emoji.authorId !== caller.userId && !isAdministrator(caller.role)) {
      throw new ApiError(emojiErrors.mayNotRemoveEmoji);
    }
    await this.database.transaction(async (transaction) => {
      if (!(await this.realmEmoji.deactivate(transaction, caller.realm.id, emoji.id))) {
        throw new ApiError(emojiErrors.noSuchCustomEmoji, { name });
      }
      await this.events.deactivated(transaction, caller.realm.id, emoji.id);
    });
  }

  /** The picture of an emoji, deactivated or not. Throws `notFound` when no emoji of the organisation has it. */
  async openPicture(realmId: number, fileName: string): Promise<EmojiPicture> {
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

function asNotFound(error: unknown): never {
  throw error instanceof FileMissing ? new ApiError(requestErrors.notFound) : error;
}
