import { Inject, Injectable } from '@nestjs/common';
import { UnicodeEmoji } from '#chat/emoji-names';
import { isAdministrator } from '#directory/roles';
import { ApiError, type Caller, LIMITS, type Limits, limitErrors } from '#platform/contracts';
import { Database } from '#platform/database';
import { emojiErrors } from './emoji.errors.js';
import { EmojiEvents } from './emoji.events.js';
import { customEmojiName, extraEmoji } from './emoji.rules.js';
import { type EmojiFile, EmojiPictures } from './emoji-pictures.js';
import { type RealmEmoji, RealmEmojiRepository } from './realm-emoji.repository.js';

/** Lists, adds and deactivates the custom emoji of organisations. */
@Injectable()
export class RealmEmojiService {
  constructor(
    private readonly realmEmoji: RealmEmojiRepository,
    private readonly unicode: UnicodeEmoji,
    private readonly database: Database,
    private readonly events: EmojiEvents,
    private readonly pictures: EmojiPictures,
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
    const fileKey = await this.pictures.store(caller.realm.id, file);
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

  /** Removes the picture at once when the emoji is refused. After a failure the transaction may be committed nevertheless. */
  async #add({ realm, userId }: Caller, name: string, fileKey: string) {
    const emoji = { realmId: realm.id, authorId: userId, name, fileKey };
    const added = await this.database.transaction(async (transaction) => {
      const stored = await this.realmEmoji.add(transaction, emoji, this.limits.customEmoji);
      if (typeof stored === 'string') return stored;
      await this.pictures.keep(transaction, fileKey);
      await this.events.added(transaction, realm.id, stored);
      return stored;
    });
    if (typeof added === 'string') await this.pictures.remove(fileKey);
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
}
