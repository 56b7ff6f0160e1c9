import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError, type Caller, isAdministrator, LIMITS, type Limits } from '#contracts';
import { FILE_STORAGE, type FileStorage } from '#uploads';
import { customEmojiName } from './custom-emoji-name.rules.js';
import { extraEmoji } from './emoji.js';
import { pictureKey } from './emoji-picture.rules.js';
import { type Picture, pictureOf, pictureTypes } from './picture.rules.js';
import { RealmEmojiRepository } from './realm-emoji.repository.js';
import { UnicodeEmoji } from './unicode-emoji.js';

/** In pixels: what is larger takes a phone tens of megabytes to show in the size of a letter. */
const LONGEST_SIDE = 2048;
/** Pictures tell their size near their beginning, though a photo may have a lot to say before. */
const BEGINNING_BYTES = 262_144;
const TOKEN_BYTES = 16;

/** A file on local disk that is to be an emoji's picture; it may be gone afterwards. */
interface EmojiFile {
  readonly path: string;
  readonly sizeBytes: number;
}

/** Adds an emoji of the organisation's own. */
@Injectable()
export class AddRealmEmoji {
  constructor(
    private readonly unicode: UnicodeEmoji,
    private readonly realmEmoji: RealmEmojiRepository,
    @Inject(FILE_STORAGE) private readonly storage: FileStorage,
    @Inject(LIMITS) private readonly limits: Pick<Limits, 'customEmoji'>,
  ) {}

  /**
   * Throws ApiError for a name that cannot be one, that only an administrator may take from a built-in
   * emoji, or that is an active emoji's already, for a file that is no picture or too large a one, and when
   * the organisation has as many as it may have.
   */
  async execute(caller: Caller, givenName: string, file: EmojiFile): Promise<void> {
    const name = customEmojiName(givenName);
    if (this.#isBuiltIn(name) && !isAdministrator(caller.role)) {
      throw new ApiError('emojiNameIsBuiltIn');
    }
    // Else the file would be stored first, for nothing.
    if ((await this.realmEmoji.findActive(caller.realm.id, name)) !== null) {
      throw new ApiError('customEmojiExists');
    }
    const { format } = checkedPicture(await readBeginning(file.path));
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const { sizeBytes } = file;
    const fileKey = pictureKey({ realmId: caller.realm.id, token, sizeBytes, format });
    await this.storage.store(fileKey, { path: file.path, contentType: pictureTypes[format] });
    const added = await this.#add(caller, name, fileKey);
    if (added === 'name is taken') throw new ApiError('customEmojiExists');
    if (added === 'list is full') {
      const limit = this.limits.customEmoji;
      throw new ApiError('organizationLimitReached', { limit, what: 'custom emoji' });
    }
  }

  #isBuiltIn(name: string): boolean {
    return name === extraEmoji.name || this.unicode.codeOf(name) !== undefined;
  }

  /** Without the file again when the emoji was not added. */
  async #add({ realm, userId }: Caller, name: string, fileKey: string) {
    let isAdded = false;
    try {
      const emoji = { realmId: realm.id, authorId: userId, name, fileKey };
      const added = await this.realmEmoji.add(emoji, this.limits.customEmoji);
      isAdded = added === 'added';
      return added;
    } finally {
      if (!isAdded) await this.storage.remove(fileKey);
    }
  }
}

async function readBeginning(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const beginning = Buffer.alloc(BEGINNING_BYTES);
    const { bytesRead } = await file.read(beginning, 0, BEGINNING_BYTES, 0);
    return beginning.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function checkedPicture(beginning: Uint8Array): Picture {
  const picture = pictureOf(beginning);
  if (picture === null) throw new ApiError('emojiFileNoPicture');
  if (Math.max(picture.width, picture.height) > LONGEST_SIDE) {
    throw new ApiError('emojiPictureTooLarge', { limit: LONGEST_SIDE });
  }
  return picture;
}
